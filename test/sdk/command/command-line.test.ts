/** The command line itself: its flags, its help and its errors, without a run. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { commandLine, main } from "../../../sdk/command/main.ts";

/** @returns what the command line prints before it exits */
async function errorOf(...args: string[]): Promise<string> {
  let text = "";
  const writeErr = (part: string): void => {
    text += part;
  };
  const program = commandLine();
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr });
  await expect(program.parseAsync(args, { from: "user" })).rejects.toThrow();
  return text;
}

afterEach(() => void vi.restoreAllMocks());

describe("orgseat", () => {
  test("prints its help and exits with 0 if it gets no arguments", async () => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const before = process.exitCode;
    await main(["node", "orgseat"]);
    expect(printed.mock.calls[0]?.[0]).toMatch(/^Usage: orgseat /);
    expect(process.exitCode).toBe(before);
  });

  test.each([
    ["apply", "up"],
    ["plan", "preview"],
    ["remove", "offboard"],
    ["delete", "offboard"],
    ["previw", "preview"],
    ["offbord", "offboard"],
  ])("answers %s with a hint at %s", async (verb, meant) => {
    expect(await errorOf(verb, "--yes")).toContain(
      `error: unknown command \`${verb}\`; did you mean \`${meant}\`?`,
    );
  });

  test("suggests nothing for a word that resembles no verb", async () => {
    expect(await errorOf("bananas")).toMatch(/^error: unknown command `bananas`\n/);
  });

  const verbs = commandLine().commands.filter((command) => !["doctor", "audit"].includes(command.name()));
  test.each(verbs.map((command) => [command.name(), command] as const))(
    "gives %s the common flags",
    (_name, command) => {
      const flags = command.options.map(({ long }) => long);
      expect(flags).toEqual(expect.arrayContaining(["--parallel", "--verbose", "--no-color"]));
    },
  );

  test("offboard takes --lock-timeout in whole seconds", async () => {
    expect(await errorOf("offboard", "bob", "--lock-timeout", "soon")).toContain(
      "expected a whole number, 1 or more",
    );
  });
});
