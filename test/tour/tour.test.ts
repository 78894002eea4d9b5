import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../sandbox/package-root.ts";
import { previewAndRun, shorten } from "../../sandbox/tour/engine-output.ts";
import { tellAll } from "../../sandbox/tour/index.ts";
import { expectThat, Scene } from "../../sandbox/tour/scene.ts";
import { countingProxy } from "../setup/proxy.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";

function runTour(environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const launcher = join(packageRoot, "sandbox", "bin", "orgseat-sandbox.js");
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [launcher, "tour"],
      { env: { ...process.env, ...environment }, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

/** The calls that a chapter shows, without their statuses. */
function callsIn(chapter: string): string[] {
  return [...chapter.matchAll(/^ {4}call (\d+) +[a-z ]+? {2,}(\S.*?) {2,}\d+$/gm)].map(
    ([, number, who]) => `${number} ${who}`,
  );
}

test("npm run tour tells the life of an organization, chapter by chapter, in a closed room", {
  tags: "ci",
}, async () => {
  const elsewhere = await countingProxy();
  const temporary = mkdtempSync(join(temporaryFolder(), "tmp-"));
  const { code, output } = await runTour({
    TMPDIR: temporary,
    ORGSEAT_ORG_URL: `${elsewhere.address}/api/v1`,
    ORGSEAT_TOKEN_URL: `${elsewhere.address}/token`,
    ORGSEAT_CLIENT_ID: "of-the-caller",
    ORGSEAT_CLIENT_SECRET: "of-the-caller",
    PULUMI_BACKEND_URL: elsewhere.address,
    PULUMI_CONFIG_PASSPHRASE: "of-the-caller",
  });
  expect(code, output).toBe(0);
  const [opening = "", ...chapters] = output.split(/^\d+\. /m);
  expect(opening).toMatch(/^Engine: the (stand-in|Pulumi CLI)/);
  expect(chapters.map((chapter) => chapter.split("\n")[0])).toEqual([
    "Three people and a machine join",
    "Nothing has changed, so nothing happens",
    "The subscription is renewed at the service; the preview shows the renewals",
    "`up` renews the tokens, and their values stay",
    "Grace leaves: her token, her seat, her membership, in this order",
    "The token of Linux builds is rotated",
    "Seats run out",
    "A seat is bought, and the next `up` goes on from there",
    "The end: destroy",
  ]);
  const [ada, grace, katherine, radia] = ["ada", "grace", "katherine", "radia"].map(
    (name) => `${name}@acme.example`,
  );
  const members = [ada, grace, katherine, "Linux builds"];
  const inTurn = (numbers: number[], people: readonly unknown[]) =>
    people.flatMap((who) => numbers.map((number) => `${number} ${who}`)).toSorted();
  const told = chapters.map((chapter) => callsIn(chapter).toSorted());
  expect(told).toEqual([
    inTurn([5, 6, 7], members),
    [],
    [],
    inTurn([8], members),
    inTurn([9, 10, 11], [grace]),
    inTurn([7, 9], ["Linux builds"]),
    inTurn([5, 6], [radia]),
    inTurn([6, 7], [radia]),
    inTurn([9, 10, 11], [ada, katherine, "Linux builds", radia]),
  ]);
  expect(callsIn(chapters[4] ?? "")).toEqual([`9 ${grace}`, `10 ${grace}`, `11 ${grace}`]);
  expect(chapters[2]).toMatch(/UserToken of ada@acme\.example .*call 8 renews it, same value/);
  expect(chapters[3]?.match(/value unchanged/g)).toHaveLength(4);
  expect(chapters[6]).toMatch(/error: call 6 .*answered 402 .*No seat is free for radia@acme\.example/);
  expect(chapters[8]).toContain("Nothing is left: 0 users, 0 seats, 0 tokens.");
  expect(output, "a token or a hash has 43 characters and more").not.toMatch(/[A-Za-z0-9_-]{40,}/);
  expect(output).not.toContain("of-the-caller");
  expect(elsewhere.passed, "nothing of the caller's environment is used").toEqual([]);
  const left = readdirSync(temporary).filter((name) => name.startsWith("orgseat"));
  expect(left, "nothing is left behind").toEqual([]);
});

describe("a chapter that does not hold", () => {
  test("ends the tour with exit code 1 and its name; those after it are not told", async () => {
    const { service } = await sandbox();
    const said: string[] = [];
    // In place of an engine.
    const stack = {
      roster: () => Promise.reject(new Error("not here")),
      capture: async () => ({ code: 7, output: "all that the engine said" }),
    };
    const scene = new Scene({ service, stack, folder: temporaryFolder(), say: (line) => said.push(line) });
    const code = await tellAll(
      [
        { title: "holds", tell: async () => expectThat(true, "never said") },
        { title: "breaks", tell: async (inside) => void (await inside.preview()) },
        { title: "is not told", tell: async () => expectThat(false, "never said") },
      ],
      scene,
    );
    expect(code).toBe(1);
    expect(said.join("\n")).toContain("all that the engine said");
    expect(said.at(-1)).toBe("Chapter 2 (breaks) does not hold: `pulumi preview` ended with exit code 7.");
    expect(said).not.toContain("3. is not told");
  });
});

test("of the engine's output the steps of the preview, the messages and the sum are told", () => {
  const { preview, run } = previewAndRun(`Previewing update (dev):

 +  pulumi:pulumi:Stack acme-dev create
 -- pulumi-nodejs:orgseat:UserToken Linux builds-token delete original [diff: ~rotation]
 +- pulumi-nodejs:orgseat:UserToken Linux builds-token replace [diff: ~rotation]
 ~  pulumi-nodejs:orgseat:UserToken ada-token update [diff: ~subscriptionExpiresAt]; warning: one
Resources:
    + 1 to create
    +-1 to replace
    2 changes. 3 unchanged

Updating (dev):
 +  pulumi-nodejs:orgseat:SeatAssignment ada-seat creating (0s)
Diagnostics:
  pulumi-nodejs:orgseat:SeatAssignment (ada-seat):
    error: no seat
  pulumi:pulumi:Stack (acme-dev):
    error: update failed

Resources:
    + 1 created
    1 errored
`);
  expect(shorten(preview)).toMatchObject({
    steps: ["replace  UserToken       Linux builds-token", "update   UserToken       ada-token"],
    sum: "1 to create, 1 to replace, 2 changes. 3 unchanged",
  });
  expect(shorten(run)).toEqual({ steps: [], messages: ["error: no seat"], sum: "1 created, 1 errored" });
});
