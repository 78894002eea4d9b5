import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { runChapters } from "../../sandbox/tour/index.ts";
import { expectThat, previewAndRun, Scene, shorten } from "../../sandbox/tour/scene.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";

function runTour(
  platform: string,
  environment: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const launcher = join(packageRoot, "sandbox", "bin", "orgseat-sandbox.js");
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [launcher, "tour", "--platform", platform],
      { env: { ...process.env, ...environment }, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

const OPERATIONS = ["add", "assign", "issue", "renew", "revoke", "remove"].join("|");

/** The requests that a chapter prints, without their statuses. */
function requestsIn(chapter: string): string[] {
  return [...chapter.matchAll(new RegExp(`^ {4}((?:${OPERATIONS}) \\w+) +(\\S.*?) {2,}\\d+$`, "gm"))].map(
    ([, operation, name]) => `${operation} ${name}`,
  );
}

test.each(platformNames)(
  "npm run tour plays the life of an organization, chapter by chapter, in an isolated environment: platform %s",
  {
    tags: "ci",
  },
  async (platform) => {
    const elsewhere = await InterceptingProxy.before("http://127.0.0.1:9");
    const temporary = mkdtempSync(join(temporaryFolder(), "tmp-"));
    const { code, output } = await runTour(platform, {
      TMPDIR: temporary,
      ORGSEAT_ORG_URL: `${elsewhere.address}/api/v1`,
      ORGSEAT_TOKEN_URL: `${elsewhere.address}/token`,
      ORGSEAT_CLIENT_ID: "of-the-caller",
      ORGSEAT_CLIENT_SECRET: "of-the-caller",
      PULUMI_BACKEND_URL: elsewhere.address,
      PULUMI_CONFIG_PASSPHRASE: "of-the-caller",
    });
    expect(code, output).toBe(0);
    const isListed = platform === "anaconda";
    const [opening = "", ...chapters] = output.split(/^\d+\. /m);
    expect(opening).toMatch(/^Pulumi CLI v\d/);
    expect(chapters.map((chapter) => chapter.split("\n")[0])).toEqual([
      "Three people and a machine user join",
      "Without changes `up` does nothing in the service",
      "The subscription is renewed; the preview shows the token renewals",
      "`up` renews the tokens and keeps their values",
      "Grace leaves: `up` revokes her token, then removes her seat and her membership",
      "`up` rotates the token of Linux builds",
      "No seats are available",
      "After a seat is bought, the next `up` continues",
      "`destroy` removes everything",
      "A roster: who joins doesn't wait for a disputed removal",
      "`report --due` says what ends soon, from the states alone",
      ...(isListed
        ? ["A directory adds and removes the members; orgseat manages their seats and tokens"]
        : []),
    ]);
    const [ada, grace, katherine, radia, tim] = ["ada", "grace", "katherine", "radia", "tim"].map(
      (name) => `${name}@acme.example`,
    );
    const members = [ada, grace, katherine, "Linux builds"];
    const each = (operations: string[], names: readonly unknown[]) =>
      names.flatMap((name) => operations.map((operation) => `${operation} ${name}`)).toSorted();
    const joining = ["add user", "assign seat", "issue token"];
    const leaving = ["revoke token", "remove seat", "remove user"];
    expect(chapters.map((chapter) => requestsIn(chapter).toSorted())).toEqual([
      each(joining, members),
      [],
      [],
      each(["renew token"], members),
      each(leaving, [grace]),
      each(["issue token", "revoke token"], ["Linux builds"]),
      each(["add user", "assign seat"], [radia]),
      each(["assign seat", "issue token"], [radia]),
      each(leaving, [ada, katherine, "Linux builds", radia]),
      each(joining, [ada, grace, katherine, radia]),
      [],
      ...(isListed
        ? [
            [
              ...each(["revoke token", "remove seat"], [grace, radia]),
              ...each(["assign seat", "issue token"], [tim]),
            ].toSorted(),
          ]
        : []),
    ]);
    expect(chapters[9]).toContain("Withheld by --no-removals (1 person)");
    expect(requestsIn(chapters[4] ?? "")).toEqual(leaving.map((operation) => `${operation} ${grace}`));
    expect(chapters[2]).toMatch(/ada@acme\.example: renew token \(value unchanged/);
    expect(chapters[3]?.match(/value unchanged/g)).toHaveLength(4);
    expect(chapters[6]).toMatch(
      /error: cannot assign seat: .*HTTP 402.*No seat is available for radia@acme\.example/,
    );
    expect(chapters[8]).toContain("The service is empty: 0 users, 0 seats, 0 tokens.");
    expect(output, "a token or a hash has 43 characters and more").not.toMatch(/[A-Za-z0-9_-]{40,}/);
    expect(output).not.toContain("of-the-caller");
    expect(elsewhere.passed, "nothing of the caller's environment is used").toEqual([]);
    const left = readdirSync(temporary).filter((name) => name.startsWith("orgseat"));
    expect(left, "nothing is left behind").toEqual([]);
  },
);

describe("a chapter that fails", () => {
  test("ends the tour with exit code 1 and its name, before later chapters", async () => {
    const { service } = await sandbox();
    const printed: string[] = [];
    // In place of an engine.
    const stack = {
      roster: () => Promise.reject(new Error("not here")),
      orgseat: () => Promise.reject(new Error("not here")),
      capture: async () => ({ code: 7, output: "all output of the engine" }),
    };
    const scene = new Scene({
      service,
      stack,
      folder: temporaryFolder(),
      account: { clientId: "", clientSecret: "" },
      print: (line) => printed.push(line),
    });
    const code = await runChapters(
      [
        { title: "succeeds", run: async () => expectThat(true, "never printed") },
        { title: "fails", run: async (inside) => void (await inside.preview()) },
        { title: "does not run", run: async () => expectThat(false, "never printed") },
      ],
      scene,
    );
    expect(code).toBe(1);
    expect(printed.join("\n")).toContain("all output of the engine");
    expect(printed.at(-1)).toBe("Chapter 2 (fails) failed: `pulumi preview` ended with exit code 7.");
    expect(printed).not.toContain("3. does not run");
  });
});

test("the engine's output is shortened to the steps of the preview, the messages and the summary", () => {
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
  pulumi-nodejs:orgseat:OrgMember (grace):
    error: 1 error occurred:
    	* no seat for grace
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
  expect(shorten(run)).toEqual({
    steps: [],
    messages: ["error: no seat", "error: no seat for grace"],
    sum: "1 created, 1 errored",
  });
});
