/** One organization has one configuration, over however many stacks it is spread. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { previewAll } from "../../command/preview/preview.ts";
import { type Organization, openOrganization } from "../../command/stacks/organization.ts";
import { upAll } from "../../command/verbs/up.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { engineWith, keysOf, ORGANIZATION, rosterOf, type StoredEngine, stateOf } from "./stored-engine.ts";

const keys = keysOf(6);
const password = "hunter2-and-more";
const set = {
  url: ["orgseat:orgUrl", "https://acme.example/"],
  limit: ["orgseat:maxRemovals", "7"],
  user: ["orgseat:username", "ada"],
  password: ["orgseat:password", password],
} as const;

function opening(engine: StoredEngine): (stacks: number) => Promise<Organization> {
  const file = `${temporaryFolder()}/people.json`;
  return (stacks) => {
    writeFileSync(file, rosterOf(keys, stacks));
    return openOrganization({ roster: file, environment: { ORGSEAT_ORG_URL: "" } }, { engine });
  };
}

/** What each run has got of the configuration. */
function handedBy({ handed }: StoredEngine) {
  // Stacks run at once, in any order.
  return handed
    .map(({ stack, environment }) => ({ stack, environment }))
    .toSorted((a, b) => (a.stack < b.stack ? -1 : 1));
}

test("what one stack says counts for the guards, and is handed to the runs of the others", async () => {
  const engine = engineWith(keys, 3);
  engine.configs.set("people-01", new Map([set.user, set.password, set.limit]));
  engine.configs.set("people-03", new Map([set.url, set.limit]));
  const organization = await opening(engine)(3);
  expect(organization.settings).toMatchObject({
    orgUrl: "https://acme.example/",
    maxRemovals: 7,
    admin: { username: "ada", password },
  });
  await previewAll(organization, {});
  // Addresses and credentials go as a whole: a part would be a second source beside the stack's own.
  const area = {
    ORGSEAT_ORG_URL: "https://acme.example/",
    ORGSEAT_USERNAME: "ada",
    ORGSEAT_PASSWORD: password,
  };
  expect(handedBy(engine)).toEqual([
    { stack: "people-01", environment: area },
    { stack: "people-02", environment: { ...area, ORGSEAT_MAX_REMOVALS: "7" } },
    { stack: "people-03", environment: area },
  ]);
  for (const { stack, environment } of handedBy(engine)) {
    const own = engine.configs.get(stack);
    expect(readSettings((key) => own?.get(key), environment).issues.join()).not.toContain("two sources");
  }
});

test("the environment goes on winning where it does, and a credential of it is never paired with one of a stack", async () => {
  const engine = engineWith(keys, 2);
  engine.configs.set("people-01", new Map([set.user, set.password, set.limit, set.url]));
  const file = `${temporaryFolder()}/people.json`;
  writeFileSync(file, rosterOf(keys, 2));
  const environment = {
    ORGSEAT_USERNAME: "grace",
    ORGSEAT_PASSWORD: "of the environment",
    ORGSEAT_MAX_REMOVALS: "9",
    ORGSEAT_ORG_URL: "https://other.example/",
  };
  await previewAll(await openOrganization({ roster: file, environment }, { engine }), {});
  expect(handedBy(engine)).toEqual([
    { stack: "people-01", environment: {} },
    { stack: "people-02", environment: { ORGSEAT_MAX_REMOVALS: "7" } },
  ]);
});

test("two stacks that say different things are an error before anything runs, which names key and stacks and no value", async () => {
  const engine = engineWith(keys, 3);
  engine.configs.set("people-01", new Map([set.user, set.password]));
  engine.configs.set("people-03", new Map([set.user, ["orgseat:password", "another-secret"]]));
  const error = await opening(engine)(3).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^orgseat:password differs between the stacks people-01 and people-03/),
  });
  expect(String(error)).not.toContain(password);
  expect(String(error)).not.toContain("another-secret");
  expect(engine.handed).toEqual([]);
});

test("the configuration goes along from 1 to 3 to 1 stacks, and a move that dies keeps it", async () => {
  for (const at of [undefined, 0, 1, 2, 3, 4, 5, 6]) {
    const engine = engineWith(keys, 1);
    const open = opening(engine);
    engine.configs.set("people", new Map([set.url, set.limit]));
    for (const stacks of [3, 1]) {
      if (at !== undefined) {
        engine.cut = { at, place: "after" };
        await upAll(await open(stacks), {}).catch(() => undefined);
        engine.revive();
      }
      const { settings } = await open(stacks);
      expect(settings, `cut ${at}`).toMatchObject({ orgUrl: "https://acme.example/", maxRemovals: 7 });
      expect(await upAll(await open(stacks), {})).toMatchObject({ status: "succeeded" });
      expect((await open(stacks)).settings).toMatchObject({
        orgUrl: "https://acme.example/",
        maxRemovals: 7,
      });
    }
    expect([...engine.configs]).toEqual([["people", new Map([set.url, set.limit])]]);
  }
});

test("the configuration of a stack of another organization is none of this one's, and a file of no stack is named", async () => {
  const engine = engineWith(keys, 1);
  const open = opening(engine);
  const foreign = JSON.stringify(stateOf("people-02", ["m9"])).replaceAll(ORGANIZATION, "another");
  engine.states.set("people-02", JSON.parse(foreign));
  engine.configs.set("people-02", new Map([set.url, set.limit]));
  expect((await open(1)).configuration.config).toEqual(new Map());
  engine.states.delete("people-02");
  await expect(open(1)).rejects.toThrow(
    "Pulumi.people-02.yaml configures stack people-02, which does not exist (the stacks are people). Rename the file to Pulumi.people.yaml, or delete it",
  );
});
