/** The examples of the schema: one for each resource and function, written once, and shown in each language of Pulumi. */
import type { Example, Types } from "./example-forms.ts";
import { languages } from "./example-languages.ts";

/** Each by the resource or the function that it shows, which it declares last. */
const examples: Readonly<Record<string, Example>> = {
  OrgMember: {
    title: "A person with a seat and a token",
    declared: [
      ["ada", "OrgMember", { email: "ada@acme.example", seat: true, token: { rotateEvery: "90d" } }],
    ],
    output: "tokenValue",
  },
  ServiceAccount: {
    title: "A service account that is rotated",
    declared: [
      ["buildBot", "ServiceAccount", { name: "build-bot", rotateEvery: "90d", keepPreviousFor: "24h" }],
    ],
    output: "clientId",
  },
  OrgUser: {
    title: "A machine user",
    declared: [["linuxBuilds", "OrgUser", { purpose: "Linux builds" }]],
    output: "userId",
  },
  SeatAssignment: {
    title: "The seat of a user",
    declared: [
      ["grace", "OrgUser", { email: "grace@acme.example" }],
      ["seat", "SeatAssignment", { userId: { userOf: "grace" } }],
    ],
    output: "adopted",
  },
  UserToken: {
    title: "The token of a user",
    declared: [
      ["margaret", "OrgUser", { email: "margaret@acme.example" }],
      ["margaretSeat", "SeatAssignment", { userId: { userOf: "margaret" } }],
      ["token", "UserToken", { userId: { userOf: "margaretSeat" }, rotateEvery: "90d" }],
    ],
    output: "validUntil",
  },
  Onboarding: {
    title: "People without an account",
    declared: [["team", "Onboarding", { emails: ["mary@acme.example", "joan@acme.example"] }]],
    output: "statuses",
  },
  ModelServer: {
    title: "A new model server",
    declared: [
      [
        "search",
        "ModelServer",
        { serverConfig: { modelFileName: "tiny-q4.gguf" }, onDelete: "delete", stopOnDelete: true },
      ],
    ],
    output: "endpoint",
  },
  VectorTable: {
    title: "A table for embeddings",
    declared: [
      [
        "docs",
        "VectorTable",
        {
          name: "docs",
          schema: {
            columns: [
              { name: "id", type: "bigint", constraints: ["PRIMARY KEY"] },
              { name: "embedding", type: "vector(384)" },
            ],
          },
          onDelete: "retain",
        },
      ],
    ],
    output: "numRows",
  },
  getServiceAccounts: lookup("accounts", "getServiceAccounts", {}, "serviceAccounts"),
  getUsers: lookup("members", "getUsers", {}, "users"),
  getModelServers: lookup("running", "getModelServers", { status: "running" }, "modelServers"),
  getModels: lookup("downloaded", "getModels", { downloaded: true }, "models"),
  getModel: lookup("model", "getModel", { modelId: "3f0c2b9e-6a51-4d0e-9a53-0f1de2c5b7a1" }, "license"),
  getModelFiles: lookup(
    "modelFiles",
    "getModelFiles",
    { modelId: "3f0c2b9e-6a51-4d0e-9a53-0f1de2c5b7a1" },
    "modelFiles",
  ),
  getVectorTables: lookup("tables", "getVectorTables", {}, "vectorTables"),
};

function lookup(name: string, type: string, args: Example["declared"][number][2], output: string): Example {
  return { title: "A lookup", declared: [[name, type, args]], output };
}

/**
 * A description with the example, in the form of the Pulumi Registry. @param types of the arguments
 * @throws if there is no example
 */
export function withExample(name: string, description: string, types: Types): string {
  const example = examples[name];
  if (example === undefined) throw new Error(`schema/examples.ts has no example of ${name}`);
  const programs = languages.map(({ fence, program }) => `\`\`\`${fence}\n${program(example, types)}\`\`\``);
  return [
    `${description}\n\n{{% examples %}}\n## Example Usage\n\n{{% example %}}\n### ${example.title}`,
    ...programs,
    "{{% /example %}}\n{{% /examples %}}",
  ].join("\n\n");
}
