// @module-tag ci
/** Text of others in what the command prints, played in a terminal: it erases no line about another person. */
import { describe, expect, test } from "vitest";
import { screenOf } from "../setup/screen.ts";
import { ScriptedPulumi } from "../setup/scripted-pulumi.ts";
import { type CommandOutput, testOrganization } from "./organization.ts";

/** Up to forty lines up, then erases everything below. */
const ERASE = "\u001b[40A\u001b[0J";
const NAME = `M${ERASE}`;
const printed = ({ stdout, stderr }: CommandOutput): string => stdout + stderr;
/** What the command would have printed without its filter. */
const unfiltered = (output: string): string =>
  output.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );

describe("the output of the command on a terminal", () => {
  test("shows codes as numbers, and no credential, in an error that ends the command", async () => {
    const acme = await testOrganization();
    acme.write([{ key: "ada", email: "ada@acme.example" }]);
    const pulumi = new ScriptedPulumi();
    const { ORGSEAT_CLIENT_SECRET: secret = "" } = acme.variables();
    expect(secret).not.toBe("");
    acme.environment.ORGSEAT_PULUMI_PATH = pulumi.command;
    pulumi.fail("stack", `error: the backend${ERASE} refused ${secret}\n`);
    for (const args of [["preview"], ["report", "--json"]]) {
      const failed = await acme.orgseat(...args);
      expect(failed.code, args.join(" ")).toBe(1);
      expect(printed(failed)).toContain(args.includes("--json") ? "\\u001b[40A" : "\\u{1b}[40A");
      expect(printed(failed)).toContain("refused [removed]");
      expect(printed(failed)).not.toMatch(/(?!\n)\p{Cc}/u);
    }
    const misspelt = await acme.orgseat(`up${ERASE}`);
    expect(printed(misspelt)).toContain("unknown command `up\\u{1b}[40A");
    acme.expectNoSecrets();
  });

  test("keeps the line about another person when a member's profile has codes that erase it", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const people = ["ada", "mallory"].map((key) => ({ key, email: `${key}@acme.example`, first_name: key }));
    acme.write(people);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const { management } = acme.sandbox.service;
    const { users } = await management.snapshot();
    const ids = Object.fromEntries(users.map(({ email, userId }) => [email, userId]));
    await management.changeUser(ids["ada@acme.example"] ?? "", { firstName: "Augusta" });
    await management.changeUser(ids["mallory@acme.example"] ?? "", { firstName: NAME });

    const output = printed(await acme.orgseat("preview", "--refresh"));
    expect(output).toContain("M\\u{1b}[40A");
    const about = "name changed ada -> Augusta";
    expect(await screenOf(unfiltered(output)), "the codes erase it where they get through").not.toContain(
      about,
    );
    expect(await screenOf(output)).toContain(about);
  });
});
