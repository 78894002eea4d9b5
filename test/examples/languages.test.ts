// @module-tag ci
/** The examples of other languages, on the real CLI with the hosts of their languages. */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { searchPath } from "../../provider/search-path.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { onEachEngine, type TestEngine } from "../setup/project.ts";
import { sandbox } from "../setup/sandbox.ts";
import { atService, callsByPerson, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

/** With what the language needs besides the CLI. */
const languages = [
  { name: "yaml-members", host: "pulumi-language-yaml", tools: [] },
  { name: "python-members", host: "pulumi-language-python", tools: ["python3", "pip3"] },
  { name: "go-members", host: "pulumi-language-go", tools: ["go"] },
];

const seated = ["ada", "grace"];
const names = [...seated, "margaret"];
/** A first build of a Go program and of Pulumi's SDK takes minutes on a machine that has built neither. */
const BUILD_MS = 540_000;

const outputsSchema = z.strictObject({
  members: z.record(z.string(), z.guid()),
  tokens: z.record(z.string(), z.string()),
});

const { clientId, clientSecret, name: accountName } = sandboxServiceAccount;

onEachEngine("the examples of other languages", (engine) => {
  for (const { name, host, tools } of languages) {
    const missing = engine.name === "stand-in" ? ["the CLI"] : missingTools(engine, host, tools);
    const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")} is missing)`;
    test.skipIf(missing.length > 0)(title, { timeout: BUILD_MS }, async () => {
      const organization = await sandbox({ seats: seated.length, serviceAccount: sandboxServiceAccount });
      const end = organization.service.seed.subscriptionExpiresAt;
      const stack = await exampleStack(engine, organization, name, {
        ORGSEAT_CLIENT_ID: clientId,
        ORGSEAT_CLIENT_SECRET: clientSecret,
      });
      if (name !== "yaml-members") expect(await stack.pulumi("install")).toMatchObject({ code: 0 });

      const up = await stack.up();
      expect(up).toMatchObject({ code: 0 });
      expect(callsByPerson(await organization.requests())).toEqual([[5, 6, 7], [5, 6, 7], [5]].toSorted());
      expect(await atService(organization)).toEqual({
        users: names.map((one) => ({
          name: `${one}@acme.example`,
          seat: seated.includes(one),
          token: seated.includes(one) ? end : undefined,
        })),
        tokens: seated.length,
        serviceAccounts: [accountName],
      });

      const { members, tokens } = outputsSchema.parse(await stack.outputs());
      expect(outputsInReadme(name)).toEqual(["members", "tokens"]);
      expect(Object.keys(members).toSorted()).toEqual(names);
      for (const [person, token] of Object.entries(tokens)) {
        expect(await organization.service.management.probe(token)).toMatchObject({
          live: true,
          userId: members[person],
        });
        expect(up.output).not.toContain(token);
      }
      expect(filesThatHold([...Object.values(tokens), clientSecret], stack)).toEqual([]);

      expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
      expect(await organization.calls()).toEqual([]);

      expect(await stack.destroy()).toMatchObject({ code: 0 });
      expect(callsByPerson(await organization.requests())).toEqual(
        [[9, 10, 11], [9, 10, 11], [11]].toSorted(),
      );
      expect(await atService(organization)).toEqual({ users: [], tokens: 0, serviceAccounts: [accountName] });
    });
  }
});

/** Of the host, which can lie beside the CLI, and the tools. */
function missingTools({ command }: TestEngine, host: string, tools: readonly string[]): string[] {
  const path = searchPath(process.env);
  const isIn = (folders: readonly string[], tool: string) =>
    folders.some((one) => isExecutable(join(one, tool)));
  return [
    ...(isIn([dirname(command), ...path], host) ? [] : [host]),
    ...tools.filter((tool) => !isIn(path, tool)),
  ];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
