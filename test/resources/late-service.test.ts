/** late.txt, and what needs a service that changes its mind while a run waits. */
import { expect, test } from "vitest";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import { ada, builds, idOf, listedOrganization, member, operation, outsOf } from "./listed.ts";
import { runs } from "./runs.ts";
import { common, SUBSCRIPTION_END, scripted } from "./scripted.ts";

const [ASSIGN, LIST_TOKENS] = [6, 18];
const program = member("ada", ada);
const noUser = { error: { code: "USER_NOT_FOUND", message: "no such user in the organization" } };
const invalidUser = { detail: [{ loc: ["path", "user_id"], msg: "no such user", type: "value_error" }] };

const administrator = {
  ...{ id: "22222222-2222-4222-8222-222222222222", email: "admin@acme.example" },
  ...{ role: "admin", subscriptions: [] },
};

function late(
  call: number,
  fault: { status: number; body: object },
  times: number | "always" = 4,
): FaultRule {
  return { match: { call }, times, fault: { kind: "refuse", ...fault } };
}

runs("late.txt");

test("a list of tokens that is late costs no id of an issued token, and no renewal", async () => {
  const { service, stack: stackOf, neighbor } = await listedOrganization();
  const stack = stackOf();
  stack.time = pausesOnly;
  const { management } = service;
  const stale = async (after: number) => {
    const items = await neighbor.listTokens(idOf(stack, "ada-user"), operation).catch(() => []);
    await management.addFaults({ ...late(LIST_TOKENS, { status: 200, body: { items } }), after });
  };

  await stale(1);
  expect((await stack.up(program)).errors).toEqual([]);
  const { tokenId } = outsOf(stack, "ada-token");
  expect(tokenId).toEqual(expect.any(String));

  const rotated = member("ada", ada, { token: { rotation: "2" } });
  await management.clearFaults();
  await stale(1);
  expect((await stack.up(rotated)).errors).toEqual([]);
  expect(outsOf(stack, "ada-token").tokenId).not.toBe(tokenId);

  const early = new Date(Date.now() + 40 * 86_400_000).toISOString();
  const shortened = member("ada", ada, { token: { rotation: "2", expiresAt: early } });
  await management.clearFaults();
  await stale(0);
  expect((await stack.up(shortened)).errors).toEqual([]);
  expect(await stack.preview(shortened)).toEqual([]);
});

test.each(["waits until the operation times out", "is cancelled"])(
  "a list that does not know the user costs no value of an issued token: the run %s",
  async (how) => {
    const userId = "11111111-1111-4111-8111-111111111111";
    const issued: string[] = [];
    const run = await scripted(
      ({ method, url }) => {
        if (method === "GET" && url.endsWith("/tokens")) {
          if (issued.length === 0) return { body: { items: [] } };
          if (how === "is cancelled") run.process.cancel();
          return { status: 422, body: invalidUser };
        }
        if (method === "GET") return { body: { items: [administrator] } };
        if (url.endsWith("/users")) return { body: { id: userId, email: ada.email } };
        if (!url.endsWith("/token")) return { status: 201, body: {} };
        issued.push("the-only-copy");
        return { body: { token: "the-only-copy", expires_at: SUBSCRIPTION_END } };
      },
      { ORGSEAT_PLATFORM: "anaconda" },
    );
    const { id } = await run.orgUser.create({ ...common, email: ada.email });
    const dates = { subscriptionExpiresAt: SUBSCRIPTION_END };
    const { outs } = await run.token.create({ ...common, ...dates, userId: id });
    expect(outs).toMatchObject({ userId, value: "the-only-copy", tokenId: null });
    expect(issued).toHaveLength(1);
  },
);

test("a machine user that somebody else adds during the run is not taken for that of a lost response", async () => {
  const organization = await listedOrganization();
  const { management } = organization.service;
  const stack = organization.stack();
  let theirs = "";
  // While the run waits for a seat, after it has read the list.
  stack.time = () => {
    const { monotonic, sleep } = pausesOnly();
    return {
      monotonic,
      async sleep(ms) {
        if (theirs === "")
          theirs = (await organization.neighbor.createUser({ first_name: builds.purpose }, operation)).id;
        await sleep(ms);
      },
    };
  };
  const isCut = { match: { call: 5 }, after: 2, times: 1, fault: { kind: "cut-before" } } as const;
  await management.addFaults(late(ASSIGN, { status: 404, body: noUser }, 1), isCut);
  const { errors } = await stack.up([...program, ...member("builds", builds)]);
  expect(errors).toEqual([]);
  expect(idOf(stack, "builds-user")).not.toBe(theirs);
});
