/** The field `deliver` of a roster, and the program that calls the function, as Pulumi's own mocks see it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import type { RosterError } from "../../../../command/roster/formats/validation.ts";
import type { Deliver } from "../../../../command/roster/program/deliver.ts";
import { type RosterProgramOptions, rosterProgram } from "../../../../command/roster/program/program.ts";
import { parseRoster, readRoster } from "../../../../command/roster/read.ts";
import { temporaryFolder } from "../../../setup/sandbox.ts";
import { type Fields, issuesOf, ORGANIZATION, textOf } from "../sample.ts";

const textWith = (deliver: string, people: readonly Fields[] = []): string =>
  textOf("yaml", people, { organization: ORGANIZATION, deliver });

const issuesWith = (deliver: string) => issuesOf(textWith(JSON.stringify(deliver)), "people.yaml");

describe("the field deliver", () => {
  test.each(["./deliver.ts", "deliver.js", "stores/deliver.mjs", "./a/b.cjs"])(
    "accepts the module %s",
    (path) => {
      expect(issuesWith(path)).toEqual([]);
    },
  );

  test.each([
    ...["/etc/deliver.js", "../deliver.ts", "a/../../b.ts", "~/deliver.ts", "deliver", "deliver.json"],
    ...[
      "file:///deliver.js",
      "https://evil.example/deliver.js",
      "C:\\deliver.js",
      "data:text/javascript,1.js",
    ],
  ])("refuses %s", (path) => {
    const text = expect.stringContaining("not a valid module (expected the path of a module");
    expect(issuesWith(path)).toMatchObject([{ field: "deliver", text }]);
  });

  test("refuses a module that is missing, a folder, or outside by a link", async () => {
    const [folder, outside] = [temporaryFolder(), temporaryFolder()];
    const file = join(folder, "people.yaml");
    mkdirSync(join(folder, "folder.ts"));
    writeFileSync(join(outside, "other.ts"), "");
    symlinkSync(join(outside, "other.ts"), join(folder, "link.ts"));
    const issueOf = async (path: string): Promise<unknown> => {
      writeFileSync(file, textWith(path));
      return readRoster(file).catch(({ message }: RosterError) => message);
    };
    expect(await issueOf("./none.ts")).toMatch(/\(deliver\): "\.\/none\.ts": no such file/);
    expect(await issueOf("folder.ts")).toMatch(/"folder\.ts": is not a file/);
    expect(await issueOf("link.ts")).toMatch(/"link\.ts": is outside the folder of the roster/);
    writeFileSync(join(folder, "good.ts"), "");
    expect(await issueOf("good.ts")).toMatchObject({ deliver: join(folder, "good.ts") });
  });
});

const registered = new Map<string, Record<string, unknown>>();

beforeEach(async () => {
  registered.clear();
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, inputs }) => {
      registered.set(name, inputs);
      return {
        id: `id-of-${name}`,
        state: { ...inputs, ...(name.endsWith("-token") && { value: "t0ken" }) },
      };
    },
  });
});

class Secret extends pulumi.CustomResource {
  constructor(name: string, props: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
    super("store:index:Secret", name, props, options);
  }
}

const people: readonly Fields[] = [
  { key: "ada", email: "ada@acme.example", team: "Engines" },
  { key: "bob", email: "bob@acme.example" },
  { key: "ci", purpose: "Nightly builds", token: "no" },
];

/** @returns why the program failed */
async function failureOf(options: RosterProgramOptions): Promise<string | undefined> {
  const run = rosterProgram(parseRoster(textWith("./deliver.ts", people), "people.yaml"), options);
  let failure: string | undefined;
  await pulumi.runtime.runInPulumiStack(async () => {
    await run().catch((error: Error) => {
      failure = error.message;
    });
  });
  return failure;
}

describe("the program of a roster with a function", () => {
  test("calls it with each member, and waits for what it registers", async () => {
    const seen: unknown[] = [];
    const deliver: Deliver = async ({ member, ...person }) => {
      seen.push(person);
      await Promise.resolve();
      new Secret(
        `${person.key}-secret`,
        { value: member.token?.value, user: member.userId },
        { parent: member },
      );
    };
    expect(await failureOf({ deliver })).toBeUndefined();
    expect(seen).toEqual([
      { key: "ada", email: "ada@acme.example", purpose: undefined, team: "Engines" },
      { key: "bob", email: "bob@acme.example", purpose: undefined, team: undefined },
      { key: "ci", email: undefined, purpose: "Nightly builds", team: undefined },
    ]);
    expect(registered.get("ada-secret")).toMatchObject({ user: "id-of-ada-user" });
    expect(JSON.stringify(registered.get("ada-secret"))).toContain("t0ken");
    expect(registered.get("ci-secret")).not.toHaveProperty("value");
  });

  test("registers all members, then fails with every person for whom it failed", async () => {
    const deliver: Deliver = ({ key, member }) => {
      if (key === "ada") throw new Error("no folder for ada");
      if (key === "bob") new Secret("loose", {});
      new Secret(`${key}-secret`, {}, { parent: member });
    };
    expect(await failureOf({ deliver })).toMatch(
      /^cannot deliver to ada@acme.example: no folder for ada \(deliver.test.ts:\d+:\d+\)\ncannot deliver to bob@acme.example: loose \(store:index:Secret\) has no parent. Pass \{ parent: member \}/,
    );
    expect([...registered.keys()]).toEqual(
      expect.arrayContaining(["ada-token", "bob-token", "ci-user", "ci-secret"]),
    );
  });

  test("registers 25 of 1,000 people at a time, each with three resources", async () => {
    let [waiting, most] = [0, 0];
    const deliver: Deliver = async ({ key, member }) => {
      waiting += 1;
      most = Math.max(most, waiting);
      for (const name of ["a", "b", "c"]) {
        new Secret(`${key}-${name}`, { value: member.token?.value }, { parent: member });
      }
      await Promise.resolve();
      waiting -= 1;
    };
    const many = Array.from({ length: 1000 }, (_, index) => ({ email: `p${index}@acme.example` }));
    const roster = parseRoster(textOf("yaml", many, { organization: ORGANIZATION }), "people.yaml");
    await pulumi.runtime.runInPulumiStack(rosterProgram(roster, { deliver }));
    expect([...registered.keys()].filter((name) => /-[abc]$/.test(name))).toHaveLength(3000);
    expect(most).toBeLessThanOrEqual(25);
  });

  test("refuses a roster whose function it does not get", async () => {
    expect(await failureOf({})).toMatch(/names .*deliver\.ts\. Pass its function as the option deliver/);
  });
});
