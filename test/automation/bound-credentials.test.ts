// @module-tag ci
/** A changed `Pulumi.people.yaml` beside a roster must not decide where the credential of the environment goes. */
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { listenOnLoopback } from "../setup/loopback.ts";
import { peopleRows, runningOrganization, type TestOrganization } from "./organization.ts";

/** Writes addresses of another server into the configuration of the stack. @returns what that server received */
async function redirected(acme: TestOrganization): Promise<string[]> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.writeHead(401).end("{}");
  });
  const url = await listenOnLoopback(server);
  for (const [key, path] of [
    ["orgUrl", "/api/v1"],
    ["tokenUrl", "/token"],
  ] as const) {
    const set = await acme.pulumi(
      "config",
      "set",
      "--plaintext",
      "--stack",
      "people",
      `orgseat:${key}`,
      `${url}${path}`,
    );
    expect(set, set.stderr).toMatchObject({ code: 0 });
  }
  return received;
}

describe("addresses in the stack's configuration", () => {
  test("receive no credential of the environment from any verb, and the verb says what to complete", async () => {
    const acme = await runningOrganization(peopleRows(1));
    const received = await redirected(acme);
    for (const name of ["ORG_URL", "TOKEN_URL"]) acme.environment[`ORGSEAT_${name}`] = "";
    acme.write(peopleRows(2));
    for (const args of [
      ["doctor"],
      ["preview"],
      ["up", "--yes"],
      ["renew", "--yes"],
      ["rotate", "p000@acme.example", "--yes"],
      ["offboard", "p000@acme.example", "--yes"],
      ["destroy", "--yes"],
    ]) {
      const { code, stdout, stderr } = await acme.orgseat(...args);
      expect(code, `${args.join(" ")}: ${stdout}${stderr}`).toBe(1);
      expect(stdout + stderr, args.join(" ")).toContain(
        "Complete the environment with ORGSEAT_ORG_URL, ORGSEAT_TOKEN_URL",
      );
    }
    expect(received).toEqual([]);
    expect(await acme.sandbox.requests()).toEqual([]);
    acme.expectNoSecrets();
  });

  test("accept a complete environment, also in plain `pulumi destroy`", async () => {
    const acme = await runningOrganization(peopleRows(1));
    const received = await redirected(acme);
    acme.write(peopleRows(2));
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toHaveLength(2);
    const destroy = await acme.pulumi("destroy", "--yes", "--skip-preview", "--stack", "people");
    expect(destroy, destroy.stdout + destroy.stderr).toMatchObject({ code: 0 });
    expect(await acme.members()).toEqual({});
    expect(received).toEqual([]);
  });
});
