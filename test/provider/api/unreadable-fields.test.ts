/** Responses with fields of any form: none that a call does not need costs an id, a secret, or the run. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { parseResponse } from "../../../provider/api/client/responses.ts";
import { propertyOf } from "../../../provider/util/json.ts";
import { checkCases } from "../../setup/cases.ts";
import { during, Service } from "./service.ts";

type Path = readonly (string | number)[];

/** A whole response, and the paths of what the call needs. */
interface Sample {
  readonly body: object;
  readonly needed: readonly string[];
}

const account = { name: "ci", client_id: "c1", org_id: "the-org" };
const user = { id: "u1", email: "ada@acme.example", first_name: "Ada", last_name: "Lovelace" };
const progress = {
  ...{ fileId: "f1", modelId: "m1", filename: "f", downloadedRatio: 1, transferredBytes: 1, totalBytes: 1 },
  ...{ paused: false, downloadTimeTaken: 1, averageMbps: 1 },
};
const server = {
  ...{ id: "s1", tag: "t", serverProcessId: 7, status: "RUNNING", server: { host: "h", port: 80 } },
  modelFile: { id: "f1", name: "f", localPath: "/f", isDownloaded: true, quantization: "q" },
  serverConfig: { modelFileName: "f", apiParams: {}, loadParams: {}, inferParams: {}, logsDir: "/l" },
};
const file = {
  ...{ id: "f1", name: "f", sizeBytes: 1, downloadUrl: "u", sha256checksum: "s", quantization: "q" },
  ...{ format: "g", maxRamUsage: 1, isDownloaded: true },
  downloadStatus: { status: "completed", progress, localPath: "/f" },
};
const table = {
  name: "t",
  schema: { columns: [{ name: "c", type: "int", constraints: ["x"] }] },
  numRows: 1,
};
const model = {
  ...{ id: "m1", name: "m" },
  metadata: { numParameters: 7, contextWindowSize: 1, trainedFor: "t", description: "d", files: [file] },
};
const message = { data: { message: "done" } };
const nothing: Sample = { body: { message: "done", data: { at: "now" } }, needed: [] };

const samples: Readonly<Record<string, Sample>> = {
  createServiceAccount: {
    body: { ...account, client_secret: "s3cret" },
    needed: ["client_id", "client_secret"],
  },
  listServiceAccounts: {
    body: { items: [account, { ...account, client_id: "c2" }] },
    needed: ["items", "name", "client_id", "org_id"],
  },
  onboardUsers: {
    body: {
      ...{ users_in_onboarding_process: ["a@x.example"], users_unavailable_for_onboarding: ["b@x.example"] },
      ...{ total_organization_seats: "9", available_organization_seats: 3 },
    },
    needed: ["users_in_onboarding_process", "users_unavailable_for_onboarding"],
  },
  createUser: { body: user, needed: ["id"] },
  listUsers: {
    body: { items: [{ ...user, role: "member", subscriptions: ["pro"], groups: [{}] }] },
    needed: ["items", "id", "email", "role", "subscriptions"],
  },
  issueToken: { body: { token: "seat-token-1", expires_at: "2027-06-30T00:00:00Z" }, needed: ["token"] },
  renewToken: { body: { expires_at: "2027-06-30T00:00:00Z" }, needed: [] },
  listTokens: {
    body: { items: [{ id: "t1", expires_at: "2027-06-30T00:00:00Z", metadata: {}, revoked: false }] },
    needed: ["items", "id"],
  },
  listServers: { body: { data: [server] }, needed: ["data", "id"] },
  getServer: { body: { data: server }, needed: ["data", "id"] },
  listModelFiles: { body: { data: [file] }, needed: ["data", "id", "name", "sizeBytes", "isDownloaded"] },
  listModels: { body: { data: [model] }, needed: ["data", "id"] },
  getModel: { body: { data: model }, needed: ["data", "id"] },
  deleteServer: { body: { data: { id: "s1", status: "DELETED", deletedAt: "now" } }, needed: [] },
  createTable: { body: { data: table }, needed: ["data", "name"] },
  listTables: { body: [table], needed: ["name"] },
  checkModels: { body: message, needed: ["data"] },
  checkServers: { body: message, needed: ["data"] },
  checkVectorDatabase: { body: message, needed: ["data"] },
  deleteTable: { body: message, needed: [] },
};

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const own = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [own]), ...pathsOf(part, own)];
  });
}

const at = (value: unknown, path: Path): unknown => path.reduce<unknown>(propertyOf, value);

function changed(body: object, path: Path, value: unknown): object {
  const copy: object = structuredClone(body);
  const parent = at(copy, path.slice(0, -1));
  if (typeof parent === "object" && parent !== null) Reflect.set(parent, path.at(-1) ?? "", value);
  return copy;
}

const calls = Object.values(platforms).flatMap(({ name: platform, calls, hasPartialErrors }) =>
  Object.entries(calls).map(([name, call]) => ({ platform, name, call, hasPartialErrors })),
);

/** Forms of dates and other values that services of this kind answer. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, "", 0, -1, [], {}, true, "2027-12-31T23:59:59", "2027-12-31 23:59:59+0000"),
  fc.constantFrom<unknown>("Fri, 31 Dec 2027 23:59:59 GMT", 1830297599, "x".repeat(5000), [null], [[{}]]),
  fc.jsonValue(),
);

describe("a response with an unreadable field", () => {
  test("keeps every value that its call needs", async () => {
    const suite = { name: "unreadable fields", level: "R", cases: 20_000 } as const;
    const arbitrary = fc.record({
      which: fc.nat(),
      fields: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      value: odd,
    });
    await checkCases(suite, arbitrary, async ({ which, fields, value }) => {
      const one = calls[which % calls.length];
      if (one === undefined) throw new Error("there are calls");
      const { body, needed } = samples[one.name] ?? nothing;
      const all = pathsOf(body);
      const isNeeded = (path: Path) => path.every((key) => typeof key === "number" || needed.includes(key));
      const free = all.filter((path) => !isNeeded(path));
      if (free.length === 0) return;
      const answer = fields.reduce((sofar, index) => {
        const path = free[index % free.length];
        return path === undefined ? sofar : changed(sofar, path, value);
      }, body);
      const response = { status: 200, headers: {}, text: JSON.stringify(answer) };
      const form = { unknownRoute: "", hasPartialErrors: one.hasPartialErrors };
      const parsed = parseResponse(one.call, response, form, new Redactor());
      const shown = JSON.stringify({ call: one.name, platform: one.platform, answer, parsed });
      if (!("value" in parsed)) throw new Error(shown);
      const leaves = all.filter((path) => isNeeded(path) && typeof at(body, path) !== "object");
      for (const path of leaves) expect(at(parsed.value, path), shown).toEqual(at(body, path));
    });
  });

  test("stays a failure if the call needs the field", async () => {
    const fails = [
      ["issueToken", ["token"]],
      ["createUser", ["id"]],
      ["createServiceAccount", ["client_secret"]],
      ["listTokens", ["items"]],
      ["listUsers", ["items"]],
      ["listServiceAccounts", ["items"]],
      ["listServers", ["data"]],
      ["listModels", ["data"]],
      ["getServer", ["data"]],
    ] as const;
    for (const [name, path] of fails) {
      const text = JSON.stringify(changed(samples[name]?.body ?? {}, path, 17.5));
      const form = { unknownRoute: "", hasPartialErrors: true };
      const response = { status: 200, headers: {}, text };
      for (const { call } of calls.filter((one) => one.name === name))
        expect(parseResponse(call, response, form, new Redactor()), name).toMatchObject({
          code: "bad-answer",
        });
    }
  });

  test("warns once about each field, without its value", async () => {
    const warnings: string[] = [];
    const odd = { token: "seat-token-1", expires_at: "31.12.2027" };
    await using service = await Service.start(() => ({ body: odd }));
    const organization = service.organization({ warn: (text) => void warnings.push(text) });
    for (const id of ["u1", "u2"])
      expect(await organization.issueToken(id, "2027-06-30", during())).toEqual({ token: "seat-token-1" });
    expect(warnings).toEqual([
      expect.stringMatching(/^the service answered "issue token" with an unreadable expires_at,/),
    ]);
  });
});
