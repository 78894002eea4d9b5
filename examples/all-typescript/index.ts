// Each resource and each lookup once. The pages in docs/resources describe their inputs and outputs.
import {
  getModel,
  getModelFiles,
  getModelServers,
  getModels,
  getServiceAccounts,
  getUsers,
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

const modelId = "wick-chat-8b";

// Lookups read what exists, in previews too.
export const serviceAccounts = await getServiceAccounts();
export const users = await getUsers();
export const servers = await getModelServers({ tag: "code" });
export const models = await getModels({ downloaded: true });
export const model = await getModel(modelId);
export const modelFiles = await getModelFiles(modelId);
export const vectorTables = await getVectorTables();

// The administrator's username and password create a service account; members need one.
const account = new ServiceAccount("ci", { name: "ci" });

// A person, in three resources and in one.
const user = new OrgUser("ada", { email: "ada@acme.example" });
const seat = new SeatAssignment("ada", { userId: user.userId });
const token = new UserToken("ada", { seat });
const member = new OrgMember("grace", {
  email: "grace@acme.example",
  seat: true,
  token: { rotateEvery: "90d" },
});

// Invites people without an account, by email.
const team = new Onboarding("team", { emails: ["margaret@acme.example"] });

// `onDelete` says what happens in the service when a resource leaves the program.
const server = new ModelServer("server", { serverId: servers[0]?.id ?? "", onDelete: "retain" });
const table = new VectorTable("handbook", {
  name: "handbook",
  schema: { columns: [{ name: "title", type: "text" }] },
  data: [{ title: "Welcome" }],
  onDelete: "delete",
});

export const clientId = account.clientId;
export const adaToken = token.value;
export const graceId = member.userId;
export const graceToken = member.tokenValue;
export const statuses = team.statuses;
export const serverStatus = server.status;
export const rows = table.numRows;
