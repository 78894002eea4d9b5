/** Construct of an OrgMember by the packaged plugin, against a registration service of Pulumi that the test plays. */
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { expect, onTestFinished, test } from "vitest";
import { failure, ORGANIZATION, scripted } from "../resources/scripted.ts";
import { ignoredByParts, ignoredPaths, ignoredWarning } from "../sdk/ignored.ts";
import { type Props, plain, pluginClient, secret, sent, struct, UNKNOWN } from "../setup/plugin-client.ts";

const MEMBER = "orgseat:index:OrgMember";
const parent = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
const provider = { urn: "urn:pulumi:dev::test::pulumi:providers:orgseat::acme", id: "p1" };
const bot = "urn:pulumi:dev::test::orgseat:index:ServiceAccount::bot";

interface Registration {
  readonly type: string;
  readonly name: string;
  readonly props: Props;
  readonly dependencies: readonly string[];
  readonly propertyDependencies: Readonly<Record<string, string[]>>;
  readonly request: resourcePb.RegisterResourceRequest;
}

interface Answers {
  /** The id of a registered resource. Empty: not known yet. Default: its name, with "id-" before it. */
  readonly idOf?: (name: string) => string;
  /** The name of a resource whose registration fails. */
  readonly failing?: string;
  /** Whether Pulumi stops there instead of going on with other resources. */
  readonly stops?: boolean;
}

/** @returns its address, and what was registered */
async function monitor({ idOf = (name) => `id-${name}`, failing, stops = false }: Answers = {}) {
  const registered: Registration[] = [];
  const completed: string[] = [];
  const server = new Server();
  server.addService(resourceGrpc.ResourceMonitorService, {
    registerResource: ({ request }, callback) => {
      registered.push(registrationOf(request));
      const failed = request.getName() === failing;
      if (failed && stops) {
        callback({ code: status.UNAVAILABLE, details: "resource monitor shut down" });
        return;
      }
      const response = new resourcePb.RegisterResourceResponse();
      response.setUrn(`urn:${request.getName()}`);
      if (request.getCustom() && !failed) response.setId(idOf(request.getName()));
      response.setResult(failed ? resourcePb.Result.FAIL : resourcePb.Result.SUCCESS);
      callback(null, response);
    },
    registerResourceOutputs: ({ request }, callback) => {
      completed.push(request.getUrn());
      callback(null, new Empty());
    },
  } satisfies Partial<resourceGrpc.IResourceMonitorServer> as resourceGrpc.IResourceMonitorServer);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, registered, completed };
}

function registrationOf(request: resourcePb.RegisterResourceRequest): Registration {
  const propertyDependencies: Record<string, string[]> = {};
  for (const [key, value] of request.getPropertydependenciesMap().entries())
    if (value.getUrnsList().length > 0) propertyDependencies[key] = value.getUrnsList();
  return {
    type: request.getType().replace("orgseat:index:", ""),
    name: request.getName(),
    props: plain(request.getObject()),
    dependencies: request.getDependenciesList(),
    propertyDependencies,
    request,
  };
}

interface Options {
  readonly inputDependencies?: Readonly<Record<string, string[]>>;
  readonly dependencies?: string[];
  readonly ignoreChanges?: string[];
}

/** Constructs "ada" by a plugin whose clock stands at 2027-01-01. */
async function construct(inputs: Props, answers: Answers = {}, options: Options = {}) {
  const run = await scripted(() => ({}));
  const { client } = await pluginClient(run.process);
  const configured = new providerPb.ConfigureRequest();
  configured.setName("acme");
  configured.setUrn(provider.urn);
  configured.setId(provider.id);
  configured.setArgs(struct({}));
  await sent((done) => client.configure(configured, done));
  const pulumi = await monitor(answers);
  const request = new providerPb.ConstructRequest();
  request.setType(MEMBER);
  request.setName("ada");
  request.setParent(parent);
  request.setMonitorendpoint(pulumi.address);
  request.setInputs(struct(inputs));
  request.setDependenciesList(options.dependencies ?? []);
  request.setProtect(true);
  request.setIgnorechangesList(options.ignoreChanges ?? []);
  request.setOrganization("organization");
  request.setProject("test");
  request.setStack("dev");
  for (const [key, urns] of Object.entries(options.inputDependencies ?? {})) {
    const dependencies = new providerPb.ConstructRequest.PropertyDependencies();
    dependencies.setUrnsList(urns);
    request.getInputdependenciesMap().set(key, dependencies);
  }
  const answer = sent<providerPb.ConstructResponse>((done) => client.construct(request, done));
  return { ...pulumi, run, answer };
}

const ada = { email: "ada@acme.example", seat: true, token: {} };

test("a member: registers user, seat and token one after another, in the component", async () => {
  const { answer, registered, completed } = await construct({ ...ada, organizationId: ORGANIZATION });
  const response = await answer;
  const common = { organizationId: ORGANIZATION };
  expect(registered.map(({ type, name, props }) => [type, name, props])).toEqual([
    ["OrgMember", "ada", {}],
    ["OrgUser", "ada-user", { ...common, email: "ada@acme.example" }],
    ["SeatAssignment", "ada-seat", { ...common, userId: "id-ada-user" }],
    ["UserToken", "ada-token", { ...common, userId: "id-ada-user" }],
  ]);
  const [component, ...children] = registered;
  expect([component?.request.getParent(), component?.request.getProtect()]).toEqual([parent, true]);
  for (const { type, request } of children) {
    expect(request.getParent()).toBe("urn:ada");
    expect(request.getProvider()).toBe(`${provider.urn}::${provider.id}`);
    const aliases = request.getAliasesList().map((alias) => alias.getSpec()?.getType());
    expect(aliases).toEqual([`pulumi-nodejs:orgseat:${type}`]);
  }
  expect(children.map(({ dependencies }) => dependencies)).toEqual([
    [],
    ["urn:ada-user"],
    ["urn:ada-user", "urn:ada-seat"],
  ]);
  expect(children.map(({ request }) => request.getDeletebeforereplace())).toEqual([false, true, true]);
  expect(completed).toEqual(["urn:ada"]);
  expect(response.getUrn()).toBe("urn:ada");
  const { userId, user, seat, token } = plain(response.getState());
  expect(userId).toBe("id-ada-user");
  expect([user, seat, token]).toMatchObject([
    { urn: "urn:ada-user", id: "id-ada-user" },
    { urn: "urn:ada-seat", id: "id-ada-seat" },
    { urn: "urn:ada-token", id: "id-ada-token" },
  ]);
  const dependenciesOf = (key: string) => response.getStatedependenciesMap().get(key)?.getUrnsList();
  expect([dependenciesOf("userId"), dependenciesOf("token")]).toEqual([["urn:ada-user"], ["urn:ada-token"]]);
});

test("a member: values keep their marks, and each resource the dependencies of its own inputs", async () => {
  const credentials = secret({ clientId: "c1", clientSecret: "the-secret-of-c1" });
  const inputs = {
    ...ada,
    email: UNKNOWN,
    credentials,
    seat: { onDelete: "retain" },
    token: secret({ rotation: "1" }),
  };
  const options = { inputDependencies: { email: ["urn:email"], token: [bot] }, dependencies: [bot] };
  const { answer, registered } = await construct(inputs, { idOf: () => "" }, options);
  const response = await answer;
  const [, user, seat, token] = registered;
  expect(user?.props).toEqual({ email: UNKNOWN, credentials });
  expect(seat?.props).toEqual({ onDelete: "retain", credentials, userId: UNKNOWN });
  expect(token?.props).toEqual({ rotation: secret("1"), credentials, userId: UNKNOWN });
  expect(user?.propertyDependencies).toEqual({ email: ["urn:email"] });
  expect(seat?.propertyDependencies).toEqual({ userId: ["urn:ada-user"] });
  expect(token?.propertyDependencies).toEqual({ rotation: [bot], userId: ["urn:ada-user", "urn:ada-seat"] });
  expect(user?.dependencies).toEqual([bot, "urn:email"]);
  expect(plain(response.getState()).userId).toBe(UNKNOWN);
});

test("a member with ignoreChanges: hands each path to the resources that have the input, and warns about the others", async () => {
  const { answer, registered, run } = await construct(ada, {}, { ignoreChanges: [...ignoredPaths] });
  await answer;
  const lists = registered.map(({ name, request }) => [name, request.getIgnorechangesList()]);
  expect(Object.fromEntries(lists)).toEqual({ ada: [], ...ignoredByParts });
  expect(run.messages.map(({ text }) => text)).toEqual([ignoredWarning]);
});

test("a member without seat: registers the user alone", async () => {
  const { answer, registered } = await construct({ email: "ada@acme.example", seat: false });
  expect(Object.keys(plain((await answer).getState()))).toEqual(["user", "userId"]);
  expect(registered.map(({ name }) => name)).toEqual(["ada", "ada-user"]);
});

test("a member after the end of the access: registers the component alone, and says so", async () => {
  const { answer, registered, run } = await construct({ ...ada, accessUntil: "2026-12-31" });
  expect(plain((await answer).getState())).toEqual({});
  expect(registered.map(({ name }) => name)).toEqual(["ada"]);
  expect(run.messages.map(({ text }) => text)).toEqual([
    'OrgMember "ada": access ended on 2026-12-31 (accessUntil), so the program declares no user, seat, or token.',
  ]);
});

test.for([
  [{ email: "ada@acme.example" }, "missing seat. Set seat: true or seat: false."],
  [{ ...ada, seat: false }, "a token needs a seat. Set seat: true, or omit token."],
  [{ ...ada, accessUntil: "soon" }, "accessUntil is not a valid date (expected"],
  [
    { ...ada, seat: UNKNOWN },
    "seat is not known before the run, but it decides which resources the program declares. Set it to a plain value.",
  ],
] as const)(
  "a member that declares nothing certain is refused before anything is registered: %j",
  async ([inputs, text]) => {
    const { answer, registered } = await construct(inputs);
    const { message } = await failure(answer);
    expect(message.startsWith(`OrgMember "ada": ${text}`), message).toBe(true);
    expect(registered).toEqual([]);
  },
);

test("a resource that fails: what depends on it gets an unknown value, and Pulumi skips it", async () => {
  const { answer, registered } = await construct(ada, { failing: "ada-user" });
  expect(plain((await answer).getState()).userId).toBe(UNKNOWN);
  expect(registered.find(({ name }) => name === "ada-seat")).toMatchObject({
    props: { userId: UNKNOWN },
    dependencies: ["urn:ada-user"],
  });
});

test("a run that stops: the component registers nothing more", async () => {
  const { answer, registered } = await construct(ada, { failing: "ada-seat", stops: true });
  expect((await failure(answer)).message).toContain("resource monitor shut down");
  expect(registered.map(({ name }) => name)).toEqual(["ada", "ada-user", "ada-seat"]);
});

test("a component that the plugin lacks: is named", async () => {
  const run = await scripted(() => ({}));
  const { client } = await pluginClient(run.process);
  const request = new providerPb.ConstructRequest();
  request.setType("orgseat:index:Team");
  expect((await failure(sent((done) => client.construct(request, done)))).message).toBe(
    "the plugin has no component orgseat:index:Team [version-mismatch]",
  );
});
