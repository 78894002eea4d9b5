/** Programs that must not compile, and their right counterparts that must: the compiler is the first reviewer. */
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/package-root.ts";

const PRELUDE = `
import {
  ModelServer,
  Onboarding,
  OrgMember,
  OrgUser,
  SeatAssignment,
  ServiceAccount,
  UserToken,
  VectorTable,
  getModelFiles,
  getServers,
  getServersOutput,
  getVectorTables,
} from "orgseat";
declare const user: OrgUser;
declare const seat: SeatAssignment;
declare const account: ServiceAccount;
declare const token: UserToken;
declare const team: Onboarding;
`;

/** What is wrong, the wrong line, the right one, and what the compiler's message has to speak of. */
const cases: readonly (readonly [name: string, wrong: string, right: string, says: RegExp])[] = [
  [
    "ServiceAccount without a name",
    `new ServiceAccount("a", {})`,
    `new ServiceAccount("a", { name: "a" })`,
    /'name' is missing/,
  ],
  [
    "ServiceAccount without arguments",
    `new ServiceAccount("a")`,
    `new ServiceAccount("a", { name: "a" })`,
    /Expected 2-3 arguments/,
  ],
  [
    "ServiceAccount with a number for a name",
    `new ServiceAccount("a", { name: 1 })`,
    `new ServiceAccount("a", { name: "1" })`,
    /'number' is not assignable/,
  ],
  [
    "ServiceAccount with a service account's credentials",
    `new ServiceAccount("a", { name: "a", credentials: { clientId: "i", clientSecret: "s" } })`,
    `new ServiceAccount("a", { name: "a", credentials: { username: "u", password: "p" } })`,
    /'clientId' does not exist/,
  ],
  [
    "ServiceAccount with half of the credentials",
    `new ServiceAccount("a", { name: "a", credentials: { username: "u" } })`,
    `new ServiceAccount("a", { name: "a", credentials: { username: "u", password: "p" } })`,
    /'password' is missing/,
  ],
  [
    "ServiceAccount with a misspelt input",
    `new ServiceAccount("a", { name: "a", rotations: 1 })`,
    `new ServiceAccount("a", { name: "a", rotation: 1 })`,
    /'rotations' does not exist/,
  ],
  [
    "OrgUser without email and names",
    `new OrgUser("a", {})`,
    `new OrgUser("a", { email: "a@b.example" })`,
    /not assignable/,
  ],
  [
    "OrgUser with a last name alone",
    `new OrgUser("a", { lastName: "builds" })`,
    `new OrgUser("a", { firstName: "Linux", lastName: "builds" })`,
    /not assignable/,
  ],
  [
    "OrgUser with a misspelt email",
    `new OrgUser("a", { mail: "a@b.example" })`,
    `new OrgUser("a", { email: "a@b.example" })`,
    /'mail' does not exist/,
  ],
  [
    "OrgUser with adopt as a flag",
    `new OrgUser("a", { email: "a@b.example", adopt: true })`,
    `new OrgUser("a", { email: "a@b.example", adopt: "id" })`,
    /not assignable/,
  ],
  [
    "OrgUser with an onDelete that is none",
    `new OrgUser("a", { email: "a@b.example", onDelete: "delete" })`,
    `new OrgUser("a", { email: "a@b.example", onDelete: "keep" })`,
    /'"delete"' is not assignable/,
  ],
  [
    "OrgUser with an administrator's credentials",
    `new OrgUser("a", { email: "a@b.example", credentials: { username: "u", password: "p" } })`,
    `new OrgUser("a", { email: "a@b.example", credentials: account })`,
    /'username' does not exist/,
  ],
  [
    "OrgUser with a list of emails",
    `new OrgUser("a", { email: ["a@b.example"] })`,
    `new OrgUser("a", { email: "a@b.example" })`,
    /not assignable/,
  ],
  [
    "SeatAssignment without a user",
    `new SeatAssignment("a", {})`,
    `new SeatAssignment("a", { userId: user.id })`,
    /'userId' is missing/,
  ],
  [
    "SeatAssignment of a user in place of the id",
    `new SeatAssignment("a", { userId: user })`,
    `new SeatAssignment("a", { userId: user.userId })`,
    /'OrgUser' is not assignable/,
  ],
  [
    "SeatAssignment with adopt as an id",
    `new SeatAssignment("a", { userId: user.id, adopt: "id" })`,
    `new SeatAssignment("a", { userId: user.id, adopt: true })`,
    /'string' is not assignable/,
  ],
  [
    "UserToken without seat and user",
    `new UserToken("a", { expiresAt: "2027-01-01" })`,
    `new UserToken("a", { seat, expiresAt: "2027-01-01" })`,
    /not assignable/,
  ],
  [
    "UserToken with seat and user",
    `new UserToken("a", { seat, userId: user.id })`,
    `new UserToken("a", { userId: user.id })`,
    /not assignable/,
  ],
  [
    "UserToken with a seat's id for a seat",
    `new UserToken("a", { seat: seat.id })`,
    `new UserToken("a", { userId: seat.id })`,
    /is missing the following properties/,
  ],
  [
    "UserToken with a Date",
    `new UserToken("a", { seat, expiresAt: new Date() })`,
    `new UserToken("a", { seat, expiresAt: new Date().toISOString() })`,
    /'Date' is not assignable/,
  ],
  [
    "UserToken with a number of days",
    `new UserToken("a", { seat, renewBefore: 30 })`,
    `new UserToken("a", { seat, renewBefore: "30d" })`,
    /'number' is not assignable/,
  ],
  [
    "UserToken with its own value",
    `new UserToken("a", { seat, token: "secret" })`,
    `new UserToken("a", { seat })`,
    /'token' does not exist/,
  ],
  [
    "OrgMember that does not say whether with a seat",
    `new OrgMember("a", { email: "a@b.example" })`,
    `new OrgMember("a", { email: "a@b.example", seat: true })`,
    /not assignable/,
  ],
  [
    "OrgMember with a token and no seat",
    `new OrgMember("a", { email: "a@b.example", seat: false, token: {} })`,
    `new OrgMember("a", { email: "a@b.example", seat: true, token: {} })`,
    /not assignable/,
  ],
  [
    "OrgMember without a person",
    `new OrgMember("a", { seat: true })`,
    `new OrgMember("a", { firstName: "Linux builds", seat: true })`,
    /not assignable/,
  ],
  [
    "OrgMember's token with a user of its own",
    `new OrgMember("a", { email: "a@b.example", seat: true, token: { userId: "id" } })`,
    `new OrgMember("a", { email: "a@b.example", seat: true, token: { rotation: 1 } })`,
    /'userId' does not exist/,
  ],
  [
    "Onboarding without emails",
    `new Onboarding("a", {})`,
    `new Onboarding("a", { emails: [] })`,
    /'emails' is missing/,
  ],
  [
    "Onboarding of one email",
    `new Onboarding("a", { emails: "a@b.example" })`,
    `new Onboarding("a", { emails: ["a@b.example"] })`,
    /'string' is not assignable/,
  ],
  [
    "Onboarding of users in place of emails",
    `new Onboarding("a", { emails: [user] })`,
    `new Onboarding("a", { emails: [token.id] })`,
    /'OrgUser' is not assignable/,
  ],
  [
    "Onboarding with retry as a flag",
    `new Onboarding("a", { emails: [], retry: true })`,
    `new Onboarding("a", { emails: [], retry: 1 })`,
    /'boolean' is not assignable/,
  ],
  [
    "Onboarding with a way to remove people",
    `new Onboarding("a", { emails: [], onDelete: "remove" })`,
    `new Onboarding("a", { emails: [] })`,
    /'onDelete' does not exist/,
  ],
  [
    "a verdict that there is not",
    `team.statuses.apply((statuses) => statuses["a@b.example"] === "accepted")`,
    `team.statuses.apply((statuses) => statuses["a@b.example"] === "inProcess")`,
    /no overlap/,
  ],
  [
    "a verdict taken for granted",
    `team.statuses.apply((statuses) => statuses["a@b.example"].length)`,
    `team.statuses.apply((statuses) => statuses["a@b.example"]?.length)`,
    /possibly 'undefined'/,
  ],
  [
    "a token's value taken for plain text",
    `const text: string = token.token`,
    `const text = token.token.apply((value) => value.length)`,
    /'Output<string>' is not assignable/,
  ],
  [
    "ModelServer that does not say what removal does",
    `new ModelServer("a", { serverId: "s" })`,
    `new ModelServer("a", { serverId: "s", onDelete: "keep" })`,
    /'onDelete' is missing/,
  ],
  [
    "ModelServer with the onDelete of a person",
    `new ModelServer("a", { serverId: "s", onDelete: "remove" })`,
    `new ModelServer("a", { serverId: "s", onDelete: "delete" })`,
    /'"remove"' is not assignable/,
  ],
  [
    "ModelServer with a service account's credentials",
    `new ModelServer("a", { serverId: "s", onDelete: "keep", credentials: account })`,
    `new ModelServer("a", { serverId: "s", onDelete: "keep", credentials: { apiKey: "k" } })`,
    /'ServiceAccount' is not assignable/,
  ],
  [
    "ModelServer in an organization",
    `new ModelServer("a", { serverId: "s", onDelete: "keep", organizationId: "o" })`,
    `new ModelServer("a", { serverId: "s", onDelete: "keep" })`,
    /'organizationId' does not exist/,
  ],
  [
    "VectorTable with a column without a type",
    `new VectorTable("a", { name: "a", schema: { columns: [{ name: "id" }] } })`,
    `new VectorTable("a", { name: "a", schema: { columns: [{ name: "id", type: "bigint" }] } })`,
    /'type' is missing/,
  ],
  [
    "VectorTable with columns for a schema",
    `new VectorTable("a", { name: "a", schema: [{ name: "id", type: "bigint" }] })`,
    `new VectorTable("a", { name: "a", schema: { columns: [{ name: "id", type: token.token }] } })`,
    /not assignable/,
  ],
  [
    "VectorTable with one row for rows",
    `new VectorTable("a", { name: "a", data: { id: 1 } })`,
    `new VectorTable("a", { name: "a", data: [{ id: 1 }] })`,
    /'id' does not exist/,
  ],
  [
    "rows read from a VectorTable",
    `new VectorTable("a", { name: "a" }).data`,
    `new VectorTable("a", { name: "a" }).numRows`,
    /'data' does not exist/,
  ],
  [
    "getServers by a status that is none",
    `getServers({ status: "runing" })`,
    `getServers({ status: "running" })`,
    /Did you mean '"running"'/,
  ],
  [
    "getServers by a port in words",
    `getServers({ port: "8080" })`,
    `getServers({ port: 8080 })`,
    /'string' is not assignable/,
  ],
  [
    "getServers of an Output",
    `getServers({ tag: token.token })`,
    `getServersOutput({ tag: token.token })`,
    /not assignable/,
  ],
  ["getModelFiles of no model", `getModelFiles()`, `getModelFiles("m")`, /Expected 1-2 arguments/],
  [
    "getVectorTables with half of an administrator",
    `getVectorTables({ credentials: { username: "u" } })`,
    `getVectorTables({ credentials: { apiKey: "k" } })`,
    /'username' does not exist/,
  ],
  ["an output written to", `user.email = token.token`, `user.email.apply((email) => email)`, /read-only/],
];

describe("wrong programs do not compile", () => {
  let messages: Map<string, string>;

  beforeAll(() => {
    const sources = new Map(
      cases.flatMap(([, wrong, right], index) => [
        [file(index, "wrong"), `${PRELUDE}export const line = () => { ${wrong}; };`] as const,
        [file(index, "right"), `${PRELUDE}export const line = () => { ${right}; };`] as const,
      ]),
    );
    messages = compile(sources);
  });

  test.each(cases.map((one, index) => [one[0], one[3], index] as const))("%s", (_name, says, index) => {
    expect(messages.get(file(index, "wrong"))).toMatch(says);
    expect(messages.get(file(index, "right")), "its right counterpart compiles").toBeUndefined();
  });
});

function file(index: number, kind: "wrong" | "right"): string {
  return join(packageRoot, "test", "sdk", `${kind}-${index}.virtual.ts`);
}

/** Compiles files that exist in memory only. @returns the errors of each file that has any */
function compile(sources: ReadonlyMap<string, string>): Map<string, string> {
  const config = ts.readConfigFile(join(packageRoot, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, packageRoot);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  const program = ts.createProgram([...sources.keys()], { ...options, noUnusedLocals: false }, host);
  const messages = new Map<string, string>();
  for (const name of sources.keys()) {
    const text = [
      ...program.getSyntacticDiagnostics(program.getSourceFile(name)),
      ...program.getSemanticDiagnostics(program.getSourceFile(name)),
    ]
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
      .join("\n");
    if (text !== "") messages.set(name, text);
  }
  return messages;
}
