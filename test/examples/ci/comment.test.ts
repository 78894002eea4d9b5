// @module-tag ci
/** The comment on GitHub and the note on GitLab, as the action and the job write them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MARKDOWN_LIMIT } from "../../../command/plan/texts/markdown.ts";
import type { Ended } from "../../package/install.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { equip, findNodeOfSteps, runAction, runScript } from "./action.ts";
import { type Answer, Forge, type ForgeName, send } from "./forge.ts";
import { scriptOfJob } from "./gitlab.ts";

const MARKER = "<!-- orgseat people.csv -->\n";
const PLAN = "### orgseat: 1 to add\n\n| who | what |\n";

interface Options {
  readonly token?: string;
  readonly name?: string;
  readonly node?: string | undefined;
  readonly pullRequest?: string;
}

/** @param plan undefined: the run before has left none */
async function commented(forge: Forge, plan: string | undefined, options: Options = {}): Promise<Ended> {
  const { token = "the-token", name = "people.csv", node, pullRequest = "7" } = options;
  const folder = temporaryFolder();
  equip(folder, "exit 1");
  if (plan !== undefined) writeFileSync(join(folder, "plan.md"), plan);
  if (forge.name === "GitHub") {
    const values = { "github.token": token, "github.event.pull_request.number": pullRequest };
    const inputs = { command: "comment", plan: "plan.md", roster: name };
    return runAction("Comment", inputs, folder, { ...forge.environment, RETRY_PAUSE: "1" }, values, node);
  }
  const env = { ROSTER: name, COMMENT_TOKEN: token, CI_PROJECT_DIR: folder, RETRY_PAUSE: "1" };
  return runScript(await scriptOfJob("orgseat note"), folder, { ...forge.environment, ...env }, node);
}

/** Lets so many requests of a method go wrong. */
function failing(method: string, times: number, answer: Answer): Forge["disturb"] {
  let left = times;
  return (asked) => (asked === method && left-- > 0 ? answer : undefined);
}

const refuse: Answer = (response) =>
  send(response, 403, { message: "Resource not accessible by integration" });
const limit: Answer = (response) =>
  send(response, 403, { message: "You have exceeded a secondary rate limit" });
const broken: Answer = (response) => send(response, 502, {});
const html: Answer = (response) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
const cut: Answer = (response) => void response.destroy();

describe.each(["GitHub", "GitLab"] satisfies ForgeName[])("the comment on %s", (name) => {
  test("appears with the first run, and changes with the second", async () => {
    const forge = await Forge.open(name);
    expect(await commented(forge, PLAN)).toMatchObject({ code: 0, stdout: "created the comment\n" });
    expect(forge.own).toEqual([expect.stringMatching(new RegExp(`^${MARKER}### orgseat: 1 to add\\n`))]);
    expect(forge.own[0]).toMatch(/<sub>\[Log\]\(https:\/\/git(hub|lab)\.example\/.*9\)<\/sub>$/);
    expect(await commented(forge, "No changes.\n")).toMatchObject({
      code: 0,
      stdout: "updated the comment\n",
    });
    expect(forge.own).toEqual([expect.stringMatching(new RegExp(`^${MARKER}No changes\\.\\n`))]);
  });

  test("carries a marker: the next run finds it among many by marker and author, and another roster has another", async () => {
    const forge = await Forge.open(name);
    for (let index = 0; index < 230; index += 1) forge.add("ada", index === 7 ? `${MARKER}mine` : "hello");
    forge.add(forge.me, `${MARKER}older`);
    for (let index = 0; index < 130; index += 1) forge.add(forge.me, "of another tool");
    await commented(forge, PLAN);
    expect(forge.comments[230]?.body).toContain("1 to add");
    expect(forge.comments[7]?.body).toBe(`${MARKER}mine`);
    await commented(forge, PLAN, { name: "contractors--> .csv" });
    expect(forge.comments).toHaveLength(362);
    expect(forge.own.at(-1)).toMatch(/^<!-- orgseat contractors--%3E%20\.csv -->\n/);
  });

  test("cuts a huge plan at a line, within the limit, and counts what it leaves out", async () => {
    const forge = await Forge.open(name);
    const lines = Array.from({ length: 9000 }, (_, index) => `| person${index}@acme.example | 👩 added |`);
    const plan = `### orgseat\n<details><summary>x</summary>\n\n${lines.join("\n")}\n</details>\n`;
    expect(await commented(forge, plan)).toMatchObject({ code: 0 });
    const [body = ""] = forge.own;
    expect(body.length).toBeGreaterThan(60_000);
    expect(body.length).toBeLessThanOrEqual(65_536);
    const [, last = "", left = ""] =
      /person(\d+)@acme\.example \| 👩 added \|\n\n<\/details>\n\nand (\d+) more lines, in the log of the job that ran orgseat\n/.exec(
        body,
      ) ?? [];
    expect(Number(last) + Number(left)).toBe(9000);
  });

  test("cuts no plan that orgseat has cut, which says how to list the rest", async () => {
    const forge = await Forge.open(name);
    const plan = `${"x\n".repeat(MARKDOWN_LIMIT / 2 - 1)}.`;
    await commented(forge, plan);
    expect(forge.own[0]).toContain(plan);
    expect(forge.own[0]).not.toContain("in the log");
  });

  test("keeps one huge line within the limit too", async () => {
    const forge = await Forge.open(name);
    await commented(forge, "👩".repeat(90_000));
    expect(forge.own[0]?.length).toBeLessThanOrEqual(65_536);
    expect(forge.own[0]).not.toContain("\ud83d\n");
  });

  test("says so where the run before has left no plan", async () => {
    const forge = await Forge.open(name);
    expect(await commented(forge, undefined)).toMatchObject({ code: 0 });
    expect(forge.own[0]).toContain("### orgseat: failed before it had a plan\n");
  });

  test("fails if the token may not update it, because it shows an older plan", async () => {
    const forge = await Forge.open(name);
    await commented(forge, PLAN);
    forge.disturb = failing(name === "GitHub" ? "PATCH" : "PUT", 9, refuse);
    const { code, stdout, stderr } = await commented(forge, "No changes.");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("cannot update the comment, which may show an older plan");
  });

  const CREATED = /^created the comment\n/;
  test.each<
    [what: string, method: string, times: number, answer: Answer | undefined, code: number, says: RegExp]
  >([
    ["a response of the list is lost", "GET", 2, cut, 0, CREATED],
    ["the list is a page of HTML at first", "GET", 2, html, 0, CREATED],
    ["the server has an error at first", "GET", 2, broken, 0, CREATED],
    ["the rate is limited at first", "POST", 2, limit, 0, CREATED],
    [
      "the token may not write",
      "POST",
      9,
      refuse,
      0,
      /warning:.*no comment: Git(Hub|Lab) answered POST \S+ with 403 \(Resource not accessible by integration\)\. The job/,
    ],
    ["the service always answers with HTML", "GET", 99, html, 1, /with 200 \(text\/html instead of JSON\)/],
    ["the service does not answer", "GET", 99, cut, 1, /does not answer \(/],
    ["the service knows no such token", "GET", 0, undefined, 1, /with 401 \(Bad credentials\)/],
  ])("appears, or gives way to its reason, without a token, if %s", async (...row) => {
    const [, method, times, answer, code, says] = row;
    const forge = await Forge.open(name);
    if (answer !== undefined) forge.disturb = failing(method, times, answer);
    const ended = await commented(forge, PLAN, answer === undefined ? { token: "another-token" } : {});
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringMatching(says)]);
    expect(ended.stdout + ended.stderr).not.toMatch(/ {4}at |another-token|the-token/);
    expect(forge.own).toHaveLength(Number(says === CREATED));
    // What may not be written is not tried again.
    const posted = forge.requests.filter((request) => request.startsWith("POST"));
    if (answer === refuse) expect(posted).toHaveLength(1);
  });

  test("appears once if its creation got no answer", async () => {
    const forge = await Forge.open(name);
    forge.disturb = failing("POST", 1, (response) => {
      forge.add(forge.me, `${MARKER}lost`);
      response.destroy();
    });
    expect(await commented(forge, PLAN)).toMatchObject({ code: 0, stdout: "updated the comment\n" });
    expect(forge.own).toEqual([expect.stringContaining("1 to add")]);
  });

  test("stays away if there is no token", async () => {
    const forge = await Forge.open(name);
    const { code, stdout, stderr } = await commented(forge, PLAN, { token: "" });
    expect([code, forge.requests]).toEqual([0, []]);
    expect(stdout + stderr).toContain("no comment: there is no token");
  });
});

describe("the comment of a push on GitHub", () => {
  test("belongs to the merged pull request", async () => {
    const forge = await Forge.open("GitHub");
    expect(await commented(forge, PLAN, { pullRequest: "" })).toMatchObject({ code: 0 });
    expect(forge.requests[0]).toBe("GET /repos/acme/people/commits/c0ffee/pulls");
    expect(forge.own).toHaveLength(1);
  });

  test("goes nowhere if no pull request has the commit", async () => {
    const forge = await Forge.open("GitHub");
    forge.disturb = failing("GET", 1, (response) => send(response, 200, []));
    const { code, stdout } = await commented(forge, PLAN, { pullRequest: "" });
    expect([code, stdout]).toEqual([
      0,
      "no pull request has this commit, so there is no comment to update\n",
    ]);
  });
});

const oldNode = await findNodeOfSteps();

describe.skipIf(oldNode === undefined)("the comment script of an older Node", () => {
  test.each(["GitHub", "GitLab"] satisfies ForgeName[])(
    "creates and updates the comment on %s",
    async (name) => {
      const forge = await Forge.open(name);
      await commented(forge, PLAN, { node: oldNode });
      expect(await commented(forge, "x\n".repeat(90_000), { node: oldNode })).toMatchObject({ code: 0 });
      expect(forge.own).toEqual([
        expect.stringContaining("more lines, in the log of the job that ran orgseat"),
      ]);
    },
  );
});

test("the steps have no packages", () => {
  const steps = ["run", "comment", "shared"].map((name) =>
    readFileSync(new URL(`../../../examples/ci/steps/${name}.mjs`, import.meta.url), "utf8"),
  );
  const imports = steps.flatMap((text) => [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from));
  expect(imports.length).toBeGreaterThan(5);
  expect(imports.filter((from) => !/^node:|^\.\/shared\.mjs$/.test(from ?? ""))).toEqual([]);
});
