// @module-tag ci
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import { pulumiCommand } from "../setup/project.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { stateResources } from "../setup/state-file.ts";
import { peopleRows, runningOrganization, testOrganization } from "./organization.ts";

const PEOPLE = 60;
const BYTES = 1950;

describe("requests", () => {
  test("60 people: three writes each to join, one token request for the run and one before the question, and no list", async () => {
    const acme = await testOrganization({ seats: PEOPLE });
    acme.write(peopleRows(PEOPLE));
    expect(await acme.orgseat("up", "--yes", "--quiet")).toMatchObject({ code: 0, stderr: "" });
    expect(countsOf(await acme.sandbox.requests())).toEqual({ writes: PEOPLE * 3, tokens: 2, lists: 0 });
    acme.expectNoSecrets();
  });
});

describe("the state", () => {
  test.each(["basic", "anaconda"] as const)(
    `a member with seat, expiry and recipient has at most ${BYTES} bytes, besides the value: %s`,
    async (platform) => {
      const acme = await testOrganization({}, undefined, platform);
      const recipients = await identityToRecipient(await generateX25519Identity());
      // A period takes more than a date.
      const expires = platform === "basic" ? "2027-01-31" : "90d";
      acme.write(peopleRows(1, { expires, recipients }));
      await acme.succeed("up", "--yes");
      const resources = stateResources(join(acme.folder, "state/.pulumi/stacks/orgseat/people.json"));
      const [member, ...others] = resources.filter(({ type }) => type.endsWith(":OrgMember"));
      expect(others).toEqual([]);
      const { stdout } = await acme.pulumi("stack", "export", "--stack", "people");
      const { resources: exported } = JSON.parse(stdout).deployment;
      const { sealedValue, ...outputs } = exported.at(-1).outputs;
      expect(sealedValue).toContain("AGE ENCRYPTED");
      expect(exported.at(-1).urn).toBe(member?.urn);
      expect(JSON.stringify({ ...exported.at(-1), outputs }).length).toBeLessThanOrEqual(BYTES);
    },
  );
});

describe("a preview", () => {
  test("calls Pulumi for the state and the configuration alone", async () => {
    const acme = await runningOrganization(peopleRows(3));
    const [command, calls] = [join(temporaryFolder(), "pulumi"), join(acme.folder, "calls")];
    writeFileSync(command, `#!/bin/sh\necho "$1 $2" >> '${calls}'\nexec '${pulumiCommand}' "$@"\n`, {
      mode: 0o755,
    });
    acme.environment.ORGSEAT_PULUMI_PATH = command;
    acme.write(peopleRows(4));
    await acme.succeed("preview");
    const asked = new Set(readFileSync(calls, "utf8").trimEnd().split("\n"));
    expect(asked).toEqual(new Set(["config --json", "stack export"]));
  });
});

function countsOf(requests: readonly LoggedRequest[]) {
  const count = (fits: (request: LoggedRequest) => boolean): number => requests.filter(fits).length;
  return {
    writes: count(({ call, method }) => call !== "token" && method !== "GET"),
    tokens: count(({ call }) => call === "token"),
    lists: count(({ method }) => method === "GET"),
  };
}
