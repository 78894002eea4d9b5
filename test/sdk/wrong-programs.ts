/**
 * Programs that must not compile, after comments with what the compiler's message says (wrong-programs.test.ts reads
 * them), and right ones that no example has: the compiler is the first reviewer. Nothing runs this file.
 */
import {
  getModelFiles,
  getModelServers,
  getModelServersOutput,
  getVectorTables,
  ModelServer,
  Onboarding,
  OrgMember,
  OrgUser,
  SeatAssignment,
  ServiceAccount,
  UserToken,
  VectorTable,
} from "orgseat";

declare const user: OrgUser;
declare const seat: SeatAssignment;
declare const account: ServiceAccount;
declare const token: UserToken;
declare const team: Onboarding;

export function wrongPrograms(): void {
  // @ts-expect-error: 'name' is missing
  new ServiceAccount("a", {});
  // @ts-expect-error: Expected 2-3 arguments
  new ServiceAccount("a");
  // @ts-expect-error: 'clientId' does not exist
  new ServiceAccount("a", { name: "a", credentials: { clientId: "i", clientSecret: "s" } });
  // @ts-expect-error: 'password' is missing
  new ServiceAccount("a", { name: "a", credentials: { username: "u" } });
  // @ts-expect-error: not assignable
  new ServiceAccount("a", { name: "a", credentials: { username: "u", password: "p", adminToken: "t" } });
  // @ts-expect-error: not assignable
  new OrgUser("a", {});
  // @ts-expect-error: not assignable
  new OrgUser("a", { lastName: "builds" });
  // @ts-expect-error: '"remove"' is not assignable
  new OrgUser("a", { email: "a@b.example", onDelete: "remove" });
  // @ts-expect-error: 'username' does not exist
  new OrgUser("a", { email: "a@b.example", credentials: { username: "u", password: "p" } });
  // @ts-expect-error: 'userId' is missing
  new SeatAssignment("a", {});
  // @ts-expect-error: 'OrgUser' is not assignable
  new SeatAssignment("a", { userId: user });
  // @ts-expect-error: 'string' is not assignable
  new SeatAssignment("a", { userId: user.id, adopt: "id" });
  // @ts-expect-error: not assignable
  new UserToken("a", { expiresAt: "2027-01-01" });
  // @ts-expect-error: not assignable
  new UserToken("a", { seat, userId: user.id });
  // @ts-expect-error: is missing the following properties
  new UserToken("a", { seat: seat.id });
  // @ts-expect-error: 'Date' is not assignable
  new UserToken("a", { seat, expiresAt: new Date() });
  // @ts-expect-error: not assignable
  new OrgMember("a", { email: "a@b.example" });
  // @ts-expect-error: not assignable
  new OrgMember("a", { email: "a@b.example", seat: false, token: {} });
  // @ts-expect-error: not assignable
  new OrgMember("a", { seat: true });
  // @ts-expect-error: 'userId' does not exist
  new OrgMember("a", { email: "a@b.example", seat: true, token: { userId: "id" } });
  // @ts-expect-error: 'emails' is missing
  new Onboarding("a", {});
  // @ts-expect-error: 'string' is not assignable
  new Onboarding("a", { emails: "a@b.example" });
  // @ts-expect-error: 'OrgUser' is not assignable
  new Onboarding("a", { emails: [user] });
  // @ts-expect-error: 'onDelete' does not exist
  new Onboarding("a", { emails: [], onDelete: "delete" });
  // @ts-expect-error: no overlap
  team.statuses.apply((statuses) => statuses["a@b.example"] === "accepted");
  // @ts-expect-error: possibly 'undefined'
  team.statuses.apply((statuses) => statuses["a@b.example"].length);
  // @ts-expect-error: 'Output<string | undefined>' is not assignable
  getModelFiles(token.value);
  // @ts-expect-error: 'onDelete' is missing
  new ModelServer("a", { serverId: "s" });
  // @ts-expect-error: '"keep"' is not assignable
  new ModelServer("a", { serverId: "s", onDelete: "keep" });
  // @ts-expect-error: 'ServiceAccount' is not assignable
  new ModelServer("a", { serverId: "s", onDelete: "retain", credentials: account });
  // @ts-expect-error: 'organizationId' does not exist
  new ModelServer("a", { serverId: "s", onDelete: "retain", organizationId: "o" });
  // @ts-expect-error: Type '{}' is not assignable
  new ModelServer("a", { serverConfig: {}, onDelete: "retain" });
  // @ts-expect-error: not assignable
  new ModelServer("a", { serverConfig: { modelFileName: "f" }, serverId: "s", onDelete: "retain" });
  // @ts-expect-error: 'type' is missing
  new VectorTable("a", { name: "a", schema: { columns: [{ name: "id" }] } });
  // @ts-expect-error: not assignable
  new VectorTable("a", { name: "a", schema: [{ name: "id", type: "bigint" }] });
  // @ts-expect-error: 'data' does not exist
  new VectorTable("a", { name: "a" }).data;
  // @ts-expect-error: Did you mean '"running"'
  getModelServers({ status: "runing" });
  // @ts-expect-error: 'string' is not assignable
  getModelServers({ port: "8080" });
  // @ts-expect-error: not assignable
  getModelServers({ tag: token.value });
  // @ts-expect-error: Expected 1-2 arguments
  getModelFiles();
  // @ts-expect-error: 'username' does not exist
  getVectorTables({ credentials: { username: "u" } });
  // @ts-expect-error: read-only
  user.email = token.value;
}

export function rightPrograms(): void {
  new ServiceAccount("a", { name: "a", credentials: { username: "u", password: "p" } });
  new ServiceAccount("a", { name: "a", credentials: { adminToken: "t" } });
  new ServiceAccount("a", { name: "a", rotation: 1 });
  new OrgUser("a", { purpose: "Linux", lastName: "builds" });
  new SeatAssignment("a", { userId: user.userId });
  new SeatAssignment("a", { userId: user.id, adopt: true });
  new UserToken("a", { userId: seat.id });
  new UserToken("a", { seat, expiresAt: new Date().toISOString() });
  new OrgMember("a", { email: "a@b.example", seat: true, token: { rotation: 1 } });
  new Onboarding("a", { emails: [] });
  new Onboarding("a", { emails: [token.id] });
  new Onboarding("a", { emails: [], resend: 1 });
  team.statuses.apply((statuses) => statuses["a@b.example"] === "inProcess");
  team.statuses.apply((statuses) => statuses["a@b.example"]?.length);
  token.value.apply((value) => value?.length);
  new ModelServer("a", { serverConfig: { modelFileName: "f" }, onDelete: "delete", stopOnDelete: true });
  new ModelServer("a", {
    serverConfig: { modelFileName: user.id, loadParams: { n: 1 } },
    onDelete: "retain",
  });
  new VectorTable("a", { name: "a", schema: { columns: [{ name: "id", type: token.validUntil }] } });
  new VectorTable("a", { name: "a" }).numRows;
  getModelServers({ port: 8080 });
  getModelServersOutput({ tag: token.validUntil });
  user.email.apply((email) => email);
}
