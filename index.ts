// The organization acme. Edit the roster and run `npm start` again: it shows the difference and makes it so.
import { OrgMember, ServiceAccount } from "orgseat";

const people = [
  "ada@acme.example",
  "grace@acme.example",
  "katherine@acme.example",
  "margaret@acme.example",
  "radia@acme.example",
];

// Users without a person: each names what its token is for.
const machines = ["Linux builds", "macOS builds"];

// The members below are managed with the account that this program makes, not with an administrator's password.
const credentials = new ServiceAccount("acme", { name: "acme-roster" });

const members = [
  ...people.map((email) => new OrgMember(email, { email, seat: true, token: {}, credentials })),
  ...machines.map((purpose) => new OrgMember(purpose, { purpose, seat: true, token: {}, credentials })),
];

/** How many people and machines the organization has. The tokens are secrets of the stack. */
export const memberCount = members.length;
