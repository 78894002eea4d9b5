// @module-tag ci
/** The examples of other languages, on the real CLI with the hosts of their languages. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import { missingTools } from "../setup/tools.ts";
import { exampleStack, expectLife } from "./example.ts";

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

/** What pip and go say. */
const NO_NETWORK =
  /Failed to establish a new connection|Temporary failure in name resolution|ProxyError|dial tcp|GOPROXY=off|: 403 Forbidden/;

const outputsSchema = z.strictObject({
  members: z.record(z.string(), z.guid()),
  tokens: z.record(z.string(), z.string()),
});

describe("the examples of other languages", () => {
  for (const { name, host, tools } of languages) {
    const missing = missingTools(host, ...tools);
    const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")} is missing)`;
    test.skipIf(missing.length > 0)(title, { timeout: BUILD_MS }, async ({ skip }) => {
      const organization = await sandbox({ seats: seated.length, serviceAccount: sandboxServiceAccount });
      const end = organization.service.seed.subscriptionExpiresAt;
      const stack = await exampleStack(organization, name);
      if (name !== "yaml-members") {
        const install = await stack.pulumi("install");
        skip(
          install.code !== 0 && NO_NETWORK.test(install.output),
          "the packages of the language are not reachable",
        );
        expect(install.code, install.output).toBe(0);
      }
      const people = names.map((one) => {
        const seat = seated.includes(one);
        return { name: `${one}@acme.example`, seat, token: seat ? end : undefined };
      });
      await expectLife(stack, people, (outputs) => {
        const { members, tokens } = outputsSchema.parse(outputs);
        expect(Object.keys(members).toSorted()).toEqual(names);
        return Object.entries(tokens).map(([person, token]) => [token, members[person]]);
      });
    });
  }
});
