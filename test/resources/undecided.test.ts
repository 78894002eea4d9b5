/** Machine users whose creation got no answer: the state keeps a placeholder until someone, or the list, decides. */
import { describe, expect, test } from "vitest";
import { pausesOnly } from "../setup/direct-providers.ts";
import { idOf, listedOrganization, member, operation, organizationOn, outsOf } from "./listed.ts";

const PURPOSE = "Linux builds";
const builds = { purpose: PURPOSE };
const program = member("builds", builds);
const LIST_USERS = 17;

async function basicOrganization() {
  const organization = await organizationOn("basic");
  const stack = organization.stack();
  const { management } = organization.service;
  const users = async () =>
    (await management.snapshot()).users.filter(({ firstName }) => firstName === PURPOSE);
  const posts = async () => (await organization.requests()).filter(({ call }) => call === 5).length;
  return { organization, management, stack, users, posts };
}

/** After an `up` whose creation got no answer. */
async function lost(kind: "cut-before" | "cut-after" = "cut-after") {
  const own = await basicOrganization();
  await own.management.addFaults({ match: { call: 5 }, fault: { kind } });
  const { errors } = await own.stack.up(program);
  expect(errors).toEqual([expect.stringContaining(`A machine user named ${PURPOSE} may now exist`)]);
  expect(await own.posts()).toBe(1);
  return { ...own, id: idOf(own.stack, "builds-user") };
}

describe("a machine user without an answer (basic)", () => {
  test("blocks each later run, which sends nothing", async () => {
    const { stack, users, posts, id } = await lost();
    expect(id).toMatch(/^undecided-/);
    expect(outsOf(stack, "builds-user")).toMatchObject({
      userId: id,
      held: { users: [], pending: { since: expect.any(String) } },
    });
    for (const isRefreshed of [false, true]) {
      const { errors, messages } = await stack.run(program, { isRefreshed });
      expect(errors).toEqual([
        expect.stringMatching(/^a run at \S+ requested Linux builds and got no answer/),
      ]);
      expect(errors[0]).toContain("run `pulumi up --replace <its URN>`");
      expect(messages.map(({ text }) => text).join()).toContain("got no answer, so the user may exist");
    }
    expect((await stack.refresh()).errors).toEqual([]);
    expect(idOf(stack, "builds-user")).toBe(id);
    expect(await posts()).toBe(0);
    expect(await users()).toHaveLength(1);
  });

  test("goes with its resource, and a warning says that the user may exist", async () => {
    const { stack, organization } = await lost();
    await organization.requests();
    const { errors, messages } = await stack.destroy();
    expect(errors).toEqual([]);
    expect(messages.map(({ text }) => text).join()).toContain(
      "No state has the user now: check in the service",
    );
    expect((await organization.requests()).filter(({ method }) => method !== "GET")).toEqual([]);
    expect(stack.recorded()).toEqual([]);
  });

  test("joins by --replace, and once more undecided if that answer is lost too", async () => {
    const { stack, users, management, id } = await lost("cut-before");
    await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-before" } });
    const replace = new Set(["builds-user"]);
    expect((await stack.run(program, { replace })).errors).toHaveLength(1);
    expect(idOf(stack, "builds-user")).not.toBe(id);
    expect((await stack.up(program)).errors).toHaveLength(1);
    expect(await users()).toEqual([]);
    expect((await stack.run(program, { replace })).errors).toEqual([]);
    expect(await users()).toHaveLength(1);
    expect(await stack.preview(program)).toEqual([]);
  });
});

describe("a machine user without an answer and without a list (anaconda)", () => {
  /** @param before how many users have the names already */
  async function lostWithLists(kind: "cut-before" | "cut-after", before = 0) {
    const organization = await listedOrganization();
    const { management } = organization.service;
    for (let count = 0; count < before; count++)
      await organization.neighbor.createUser({ first_name: PURPOSE }, operation);
    const stack = organization.stack();
    stack.time = pausesOnly;
    await management.addFaults({ match: { call: 5 }, fault: { kind } });
    const fault = { kind: "cut-before" } as const;
    await management.addFaults({ match: { call: LIST_USERS }, after: 1, times: "always", fault });
    const { errors } = await stack.up(program);
    await management.clearFaults();
    expect(errors).toEqual([expect.stringContaining("The list of users cannot be read")]);
    expect(idOf(stack, "builds-user")).toMatch(/^undecided-/);
    return { organization, stack };
  }

  test.each([0, 2])("leaves the state by a refresh if no list has a new one beside %i", async (before) => {
    const { organization, stack } = await lostWithLists("cut-before", before);
    expect((await stack.up(program)).errors).toEqual([
      expect.stringContaining("`pulumi up --refresh` settles"),
    ]);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(stack.recorded()).toEqual([]);
    expect((await stack.up(program)).errors).toEqual([]);
    expect((await organization.snapshot()).users).toHaveLength(before + 1);
  });

  test.each([0, 2])("stays if the list has a new one beside %i, whom a warning names", async (before) => {
    const { organization, stack } = await lostWithLists("cut-after", before);
    const { messages } = await stack.refresh();
    const made = (await organization.snapshot()).users.filter(({ userId }) =>
      messages.some(({ text }) => text.includes(userId)),
    );
    expect(made).toHaveLength(1);
    const adopted = member("builds", { ...builds, adopt: made[0]?.userId, onDelete: "delete" });
    expect((await stack.up(adopted)).errors).toEqual([]);
    expect((await organization.snapshot()).users).toHaveLength(before + 1);
  });
});
