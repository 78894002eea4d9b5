/**
 * What uses each operation of the platform `anaconda`: a resource, a lookup, or a verb of `orgseat` that sends it outside of
 * a run. test/lifecycle/least-answers.test.ts compares the resources, the lookups and the doctor with what they send.
 */
import type { anacondaCalls } from "../../provider/api/calls/anaconda-calls.ts";

const members = ["orgseat preview", "orgseat up", "orgseat adopt", "orgseat report"];

export const operationUsers: Readonly<Record<keyof typeof anacondaCalls, readonly string[]>> = {
  createServiceAccount: ["ServiceAccount"],
  listServiceAccounts: ["ServiceAccount", "getServiceAccounts", "orgseat doctor"],
  deleteServiceAccount: ["ServiceAccount"],
  onboardUsers: ["Onboarding"],
  createUser: ["OrgMember", "OrgUser"],
  assignSeat: ["OrgMember", "SeatAssignment"],
  issueToken: ["OrgMember", "UserToken"],
  renewToken: ["OrgMember", "UserToken"],
  revokeToken: ["OrgMember", "UserToken", "orgseat offboard"],
  removeSeat: ["OrgMember", "SeatAssignment"],
  removeUser: ["OrgMember", "OrgUser"],
  listUsers: [
    ...["OrgMember", "OrgUser", "SeatAssignment", "UserToken", "getUsers"],
    ...[...members, "orgseat offboard", "orgseat doctor"],
  ],
  listTokens: ["OrgMember", "UserToken", ...members, "orgseat offboard", "orgseat doctor"],
  checkModelArea: ["orgseat doctor"],
  checkModels: ["orgseat doctor"],
  checkServers: ["orgseat doctor"],
  checkVectorDatabase: ["orgseat doctor"],
  listModels: ["getModels"],
  getModel: ["getModel"],
  listModelFiles: ["getModelFiles"],
  listServers: ["ModelServer", "getModelServers", "orgseat doctor"],
  createServer: ["ModelServer"],
  getServer: ["ModelServer"],
  moveServer: ["ModelServer"],
  deleteServer: ["ModelServer"],
  listTables: ["VectorTable", "getVectorTables", "orgseat doctor"],
  createTable: ["VectorTable"],
  deleteTable: ["VectorTable"],
};
