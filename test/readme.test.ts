import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { environmentName, settingKeys } from "../provider/settings.ts";
import { runVariables } from "../provider/unknown-settings.ts";
import { packageRoot } from "../sandbox/package-root.ts";
import { commandLine } from "../sdk/command/main.ts";
import * as sdk from "../sdk/index.ts";
import { sandbox } from "./setup/sandbox.ts";

const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const rows = readme.split("\n").filter((line) => line.startsWith("| `"));

describe("README", () => {
  test.each(settingKeys)("has a row for the configuration key %s with its environment variable", (key) => {
    const row = rows.find((line) => line.split("|")[1]?.includes(`\`${key}\``));
    expect(row).toContain(`\`${environmentName(key)}\``);
  });

  test("has no configuration key that the code does not know", () => {
    const documented = rows
      .filter((line) => line.includes("`ORGSEAT_") && !line.startsWith("| `ORGSEAT_"))
      .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, key]) => key));
    expect(documented.toSorted()).toEqual([...settingKeys].toSorted());
  });

  test("has a row for each variable that the environment alone can say, and for no other", () => {
    const documented = rows.flatMap((line) =>
      line.startsWith("| `ORGSEAT_")
        ? [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name)
        : [],
    );
    expect(documented.toSorted()).toEqual(runVariables.toSorted());
  });

  test("says of the sandbox's management side what it does", async () => {
    const { service, organizationId } = await sandbox({ dataSet: "lanternfield" });
    const before = await service.management.snapshot();
    const words: Readonly<Record<string, string | undefined>> = {
      "organization id": organizationId,
      "server id": before.servers.find(({ status }) => status === "stopped")?.serverId,
    };
    const lines = [...readme.matchAll(/^curl (?:-X (\w+) )?\$M((?:<[\w ]+>|[^\s<])*)(?: -d '(.+?)')?/gm)];
    expect(lines).toHaveLength(9);
    for (const [line, method = "GET", path = "", body = null] of lines) {
      const url = service.managementUrl + path.replace(/<([\w ]+)>/g, (_, word) => words[word] ?? "unknown");
      const answer = await fetch(url, { method, body });
      expect(answer.ok, `${line}: ${answer.status} ${await answer.text()}`).toBe(true);
    }
    const { organizations, servers } = before;
    expect(await service.management.snapshot(), "reset").toMatchObject({ organizations, servers });
  });

  test("has a row for each verb of the command orgseat, and for no other", async () => {
    const section = readme.split("\n## From a list of people\n")[1]?.split("\n## ")[0] ?? "";
    const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, verb]) => verb);
    expect(documented.toSorted()).toEqual(
      commandLine()
        .commands.map((command) => command.name())
        .toSorted(),
    );
  });

  test.each(Object.keys(sdk))("has a row for %s", (name) => {
    expect(rows.some((line) => line.split("|")[1]?.includes(`\`${name}\``))).toBe(true);
  });
});
