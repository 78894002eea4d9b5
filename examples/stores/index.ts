// The same modules in a program of your own. For another store, import ./github.ts or ./aws.ts.
import { OrgMember } from "orgseat";
import deliver from "./vault.ts";

const builds = { key: "builds", email: undefined, purpose: "Nightly builds", team: "Engines" };

const member = new OrgMember(builds.key, { purpose: builds.purpose, seat: true, token: {} });
deliver({ ...builds, member });
