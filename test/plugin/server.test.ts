/** The packaged plugin's service, call by call, against a service whose answers the test writes. */
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, test } from "vitest";
import { markOf } from "../../provider/member/held.ts";
import { failure, inTurn, ORGANIZATION, SUBSCRIPTION_END, scripted } from "../resources/scripted.ts";
import { CallFailed, pluginClient, secret, sent, struct, UNKNOWN } from "../setup/plugin-client.ts";

const later = "2027-12-31T23:59:59Z";
const common = { organizationId: ORGANIZATION };
const token = { ...common, userId: "u1", subscriptionExpiresAt: SUBSCRIPTION_END };
const ofToken = { issuedAt: "2027-01-01T00:00:00Z", value: "kept" };
const agreed = { subscriptionExpiresAt: SUBSCRIPTION_END };
const issued = {
  ...token,
  stateVersion: 1,
  issuedAt: ofToken.issuedAt,
  reportedExpiresAt: SUBSCRIPTION_END,
  validUntil: SUBSCRIPTION_END,
  expirySource: "service",
  value: secret("the-token-of-u1"),
  held: {
    ref: "the-token",
    users: [
      {
        ...{ id: "u1", adopted: true, seat: "left", seatAdopted: false },
        tokens: [
          { ...ofToken, adopted: false, declaredEnd: SUBSCRIPTION_END, reportedEnd: SUBSCRIPTION_END },
        ],
      },
    ],
    agreed,
  },
};

const [email, ref] = ["ada@acme.example", "the-ref"];
const wanted = {
  ...{ ...common, email, seat: true, token: { rotation: "1" } },
  subscriptionExpiresAt: SUBSCRIPTION_END,
};
const held = {
  ...{ ...common, email, stateVersion: 1, userId: "u1", hasSeat: true },
  tokenValue: secret("the-token-of-u1"),
  tokenState: { ...ofToken, expiresAt: SUBSCRIPTION_END },
  held: {
    ref,
    users: [
      {
        ...{ id: "u1", address: markOf(ref, email), adopted: false, seat: "held", seatAdopted: false },
        tokens: [{ ...ofToken, adopted: false, declaredEnd: SUBSCRIPTION_END, mark: "1" }],
      },
    ],
    agreed,
  },
};

/** A service that gives a member everything, and takes it again. */
const serves: Parameters<typeof scripted>[0] = ({ method, url }) => {
  if (method === "DELETE") return { status: 204 };
  return { status: 201, body: url.endsWith("/token") ? { token: "a-new-token" } : { id: "u2" } };
};

async function plugin(...args: Parameters<typeof scripted>) {
  const run = await scripted(...args);
  return { ...run, ...(await pluginClient(run.process)) };
}

type Run = Awaited<ReturnType<typeof plugin>>;

describe("the handshake", () => {
  test("accepts secrets, and neither resources nor outputs", async () => {
    const { client } = await plugin(() => ({}));
    const request = new providerPb.ProviderHandshakeRequest();
    const answer = await sent<providerPb.ProviderHandshakeResponse>((done) =>
      client.handshake(request, done),
    );
    expect(answer.getAcceptSecrets()).toBe(true);
    expect([answer.getAcceptResources(), answer.getAcceptOutputs()]).toEqual([false, false]);
    // Those of check, call, and invoke, which newer engines offer one by one.
    const { acceptSecrets: _, ...others } = answer.toObject();
    expect(Object.values(others).filter((value) => value !== false)).toEqual([]);
  });

  test("a method that the plugin lacks is unimplemented, a type that it lacks is named", async () => {
    const { client, check } = await plugin(() => ({}));
    const call = new providerPb.CallRequest();
    expect(await failure(sent((done) => client.call(call, done)))).toMatchObject({ code: 12 });
    expect((await failure(check("Desk", {}, {}))).message).toBe(
      "the plugin orgseat 0.1.0 has no resource orgseat:index:Desk [version-mismatch]",
    );
  });
});

describe("secrets", () => {
  test("stay secret as inputs in check and create", async () => {
    const run = await plugin(() => ({ body: { id: "u1" } }));
    const credentials = { clientId: "c1", clientSecret: secret("the-secret-of-c1") };
    const marked = secret({ clientId: "c1", clientSecret: "the-secret-of-c1" });
    const news = { ...common, email: secret("ada@acme.example"), credentials };
    const { inputs, failures } = await run.check("OrgUser", {}, news);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...news, credentials: marked });
    const { id, outs } = await run.create("OrgUser", inputs);
    expect(id).toBe("u1");
    expect(outs).toMatchObject({ email: secret("ada@acme.example"), credentials: marked, userId: "u1" });
  });

  test("stay secret as outputs of a member: the email of the program, also after half of a change to a plain one", async () => {
    const run = await plugin(serves);
    const { inputs } = await run.check("OrgMember", {}, { ...wanted, email: secret(email) });
    const { outs } = await run.create("OrgMember", inputs);
    expect(outs).toMatchObject({ email: secret(email), tokenValue: secret("a-new-token"), userId: "u2" });
    expect(JSON.stringify(outs).split(email)).toHaveLength(2);
    const half = await plugin((request, count) =>
      request.method === "DELETE" ? { status: 403 } : serves(request, count),
    );
    const news = { ...wanted, email: "eve@acme.example" };
    const error = await failure(half.update("OrgMember", ref, { ...held, email: secret(email) }, news));
    if (!(error instanceof CallFailed)) throw error;
    expect(error.partial?.outs).toMatchObject({ email: secret(email), userId: "u1" });
    expect(error.partial?.outs.held).toMatchObject({ users: [{ id: "u1" }, { id: "u2", coming: true }] });
  });

  test("stay secret as outputs by the plugin's marks: token and client secret", async () => {
    const run = await plugin(({ method, url }) =>
      method === "POST" && url.endsWith("/service-accounts")
        ? {
            status: 201,
            body: { client_id: "c1", client_secret: "the-secret-of-c1", name: "bot", org_id: ORGANIZATION },
          }
        : { body: [] },
    );
    const { outs } = await run.create("ServiceAccount", { ...common, name: "bot" });
    expect(outs).toMatchObject({ clientId: "c1", clientSecret: secret("the-secret-of-c1") });
  });
});

describe("custom timeouts", () => {
  /** A minute and a half: more than the default of `operationTimeout`. */
  const busy = { status: 429, headers: { "retry-after": "90" } };
  const minutes = 5 * 60;

  test.each([
    ["create", (run: Run, seconds: number) => run.create("UserToken", token, false, seconds)],
    [
      "update",
      (run: Run, seconds: number) =>
        run.update("UserToken", "u1", issued, { ...token, subscriptionExpiresAt: later }, false, seconds),
    ],
    ["delete", (run: Run, seconds: number) => run.delete("UserToken", "u1", issued, seconds)],
  ])("let %s wait as the service asks, longer than operationTimeout", async (_, method) => {
    const patient = await plugin(inTurn(busy, { status: 500 }));
    await failure(method(patient, minutes));
    expect(patient.sent().length).toBeGreaterThan(1);
    const hasty = await plugin(inTurn(busy, { status: 500 }));
    await failure(method(hasty, 0));
    expect(hasty.sent()).toHaveLength(1);
  });
});

describe("previews", () => {
  test("show the inputs of a creation and no other output, and send nothing", async () => {
    const run = await plugin(() => ({}));
    const { id, outs } = await run.create("UserToken", { ...token, userId: UNKNOWN }, true);
    expect(id).toBe("");
    expect(outs).toMatchObject({ ...token, userId: UNKNOWN, value: secret(UNKNOWN), validUntil: UNKNOWN });
    expect(run.sent()).toEqual([]);
  });

  test("keep the token of a renewal, and not its expiry", async () => {
    const run = await plugin(() => ({}));
    const news = { ...token, subscriptionExpiresAt: later };
    const { outs } = await run.update("UserToken", "u1", issued, news, true);
    const { issuedAt, value } = issued;
    expect(outs).toMatchObject({ ...news, value, issuedAt, validUntil: UNKNOWN, expirySource: UNKNOWN });
    for (const change of [{ rotation: "1" }, { userId: "u2" }, { userId: UNKNOWN }]) {
      const rotated = await run.update("UserToken", "u1", issued, { ...token, ...change }, true);
      expect(rotated.outs).toMatchObject({ value: secret(UNKNOWN), issuedAt: UNKNOWN, validUntil: UNKNOWN });
    }
    expect(run.sent()).toEqual([]);
  });

  test.each([
    ["a rotation: user and seat", { token: { rotation: "2" } }, ["userId", "hasSeat"]],
    [
      "settings: everything",
      { onDelete: "retain", firstName: "Ada" },
      ["userId", "hasSeat", "tokenValue", "tokenState"],
    ],
    ["a renewal: all but the end", { subscriptionExpiresAt: later }, ["userId", "hasSeat", "tokenValue"]],
    ["no seat: the user", { seat: false, token: undefined }, ["userId"]],
    ["another email: nothing", { email: "eve@acme.example" }, []],
    ["an unknown email: nothing", { email: UNKNOWN }, []],
    ["an unknown token: user and seat", { token: UNKNOWN }, ["userId", "hasSeat"]],
    [
      "a value that is not kept: the same",
      { token: { ...wanted.token, keepValue: false } },
      ["userId", "hasSeat"],
    ],
    ["an end of the access that is over: nothing", { accessUntil: "2026-01-01T00:00:00Z" }, []],
    ["an unknown end of the access: nothing", { accessUntil: UNKNOWN }, []],
  ])("keep the outputs of a member that no step changes: %s", async (_, change, kept: readonly string[]) => {
    const run = await plugin(() => ({}));
    const { outs } = await run.update("OrgMember", ref, held, { ...wanted, ...change }, true);
    const computed = ["userId", "hasSeat", "tokenValue", "tokenState"] as const;
    for (const key of computed) {
      const hidden = key === "tokenValue" ? secret(UNKNOWN) : UNKNOWN;
      expect(outs[key], key).toEqual(kept.includes(key) ? held[key] : hidden);
    }
    // Programs do not see what the provider remembers.
    expect(outs).not.toHaveProperty("held");
    expect(run.sent()).toEqual([]);
  });

  test("count an input of another kind that is not known as unknown", async () => {
    const run = await plugin(() => ({}));
    // Pulumi's marker for a boolean.
    const adopt = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";
    const { inputs, failures } = await run.check("SeatAssignment", {}, { ...common, userId: "u1", adopt });
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({ adopt });
  });
});

describe("diff", () => {
  test.each([
    [
      "another organization replaces",
      { organizationId: "another-org" },
      { organizationId: "UPDATE_REPLACE" },
      ["organizationId"],
    ],
    ["an added rotation updates", { rotation: "1" }, { rotation: "ADD" }, []],
    ["another user updates", { userId: "u2" }, { userId: "UPDATE" }, []],
    ["an unknown user updates", { userId: UNKNOWN }, { userId: "UPDATE" }, []],
    [
      "a later subscription updates",
      { subscriptionExpiresAt: later },
      { subscriptionExpiresAt: "UPDATE" },
      [],
    ],
    ["an added setting updates", { renewBefore: "3d" }, { renewBefore: "ADD" }, []],
    ["no change", {}, {}, []],
  ])("reports by property: %s", async (_, change, detailed, replaces) => {
    const run = await plugin(() => ({}));
    const { inputs } = await run.check("UserToken", token, { ...token, ...change });
    const diff = await run.diff("UserToken", "u1", issued, token, inputs);
    expect(diff).toEqual({
      changes: Object.keys(change).length > 0,
      replaces,
      deleteBeforeReplace: false,
      detailed,
    });
  });

  test("finds no change in a state that dynamic resources wrote", async () => {
    const run = await plugin(() => ({}));
    const olds = { ...issued, __provider: "a text" };
    const diff = await run.diff("UserToken", "u1", olds, { ...token, __provider: "a text" }, token);
    expect(diff).toMatchObject({ changes: false, replaces: [] });
  });
});

describe("failures", () => {
  test("keep id, outputs and secrets of a partial creation", async () => {
    const run = await plugin(() => ({ fault: "close" as const }));
    const inputs = { ...common, userId: secret("u1") };
    const error = await failure(run.create("SeatAssignment", inputs));
    if (!(error instanceof CallFailed)) throw error;
    const held = { users: [{ id: "u1", seat: "unconfirmed" }] };
    expect(error.partial).toMatchObject({
      id: expect.stringMatching(/^seat-/),
      outs: { userId: secret("u1"), held },
    });
    expect(error.partial?.reasons).toEqual([error.message]);
  });
});

describe("configuration", () => {
  const checkConfig = async (
    { client }: Awaited<ReturnType<typeof pluginClient>>,
    args: Record<string, unknown>,
    name = "eu",
  ) => {
    const request = new providerPb.CheckRequest();
    request.setName(name);
    request.setNews(struct(args));
    return sent<providerPb.CheckResponse>((done) => client.checkConfig(request, done));
  };

  test("names all invalid values at once", async () => {
    const run = await plugin(() => ({}));
    const response = await checkConfig(run, { orgUrl: "ftp://acme.example", maxRemovals: -1 });
    expect(response.getFailuresList().map((one) => one.getReason())).toEqual([
      expect.stringContaining("orgseat:orgUrl is not an https:// address"),
      expect.stringContaining("orgseat:maxRemovals is not a whole number"),
    ]);
  });

  test("keeps its secrets marked, and takes numbers and what is not known yet", async () => {
    const run = await plugin(() => ({}));
    const args = { clientId: "c1", clientSecret: UNKNOWN, maxRemovals: 3 };
    const response = await checkConfig(run, args);
    expect(response.getFailuresList()).toEqual([]);
    expect(response.getInputs()?.toJavaScript()).toEqual({ ...args, clientSecret: secret(UNKNOWN) });
  });

  test("wins over the environment in an explicit Provider; not in a default one, where it can be old", async () => {
    const environment = { ORGSEAT_CLIENT_ID: "of-the-environment", ORGSEAT_CLIENT_SECRET: "its-secret" };
    const args = {
      ...{
        orgUrl: "https://acme.example/api",
        tokenUrl: "https://acme.example/token",
        platform: "basic",
      },
      ...{ clientId: "of-the-program", clientSecret: secret("another-secret"), maxRemovals: 3 },
    };
    for (const [name, clientId] of [
      ["eu", "of-the-program"],
      ["default_0_1_0", "of-the-environment"],
    ] as const) {
      const run = await plugin(() => ({}), environment);
      await run.configure(args, name);
      expect(run.process.settings).toMatchObject({ account: { clientId }, maxRemovals: 3, issues: [] });
    }
  });

  test("replaces no resource if it changes", async () => {
    const { client } = await plugin(() => ({}));
    const request = new providerPb.DiffRequest();
    request.setOldInputs(struct({ organizationId: "one" }));
    request.setNews(struct({ organizationId: "other" }));
    const response = await sent<providerPb.DiffResponse>((done) => client.diffConfig(request, done));
    expect(response.getReplacesList()).toEqual([]);
    expect(response.getDiffsList()).toEqual(["organizationId"]);
  });
});
