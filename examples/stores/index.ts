// In a program of your own, a token is an output of its member. Other stores take it as ./github.ts and ./aws.ts show.
import * as vault from "@pulumi/vault";
import { OrgMember } from "orgseat";

const builds = new OrgMember("builds", { purpose: "Nightly builds", seat: true, token: {} });

const dataJson = builds.tokenValue.apply((token) => JSON.stringify({ token }));
const entry = { mount: "secret", name: "orgseat/builds", dataJson, deleteAllVersions: true };
// With its member as parent, the entry is deleted before the member.
new vault.kv.SecretV2("builds-token", entry, { parent: builds });
