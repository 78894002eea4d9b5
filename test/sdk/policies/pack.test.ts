/** The policies in the policy pack of docs/security.md, which Pulumi runs for the resources of a program. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "../../docs/pages.ts";
import { sandbox } from "../../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../../setup/stack.ts";

const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";

const PACK = {
  "PulumiPolicy.yaml": "runtime: nodejs\n",
  "package.json": '{ "name": "our-policies", "version": "1.0.0", "type": "module" }\n',
  "index.js": codeBlocks("docs/security.md").find(({ language }) => language === "js")?.text ?? "",
};

/** @returns the folder */
function writePack(folder: string): string {
  const pack = join(folder, "policies");
  mkdirSync(pack);
  for (const [name, text] of Object.entries(PACK)) writeFileSync(join(pack, name), text);
  return pack;
}

function ada(token: object, options: Record<string, unknown> = {}): Declared {
  return { type: "OrgMember", name: "ada", args: { email: "ada@acme.example", seat: true, token }, options };
}

onEachDoor("a policy pack", (door) => {
  test("fails the preview of a program that violates each policy, and passes one that violates none", {
    tags: "ci",
  }, async () => {
    const stack = await testStack(await sandbox(), {}, door);
    const pack = writePack(stack.folder);
    stack.declare([ada({})]);
    const refused = await stack.preview("--policy-pack", pack);
    expect(refused.code, refused.output).toBe(1);
    const violations = refused.output.match(/\[mandatory\] +\S+ +\(\S+ \S+\)/g) ?? [];
    expect(violations.map((line) => line.replace(/\s+/g, " ")).toSorted()).toEqual([
      expect.stringMatching(/^\[mandatory\] orgseat-protected-members \(\S+:OrgMember: ada\)$/),
      expect.stringMatching(/^\[mandatory\] orgseat-sealed-tokens \(\S+:OrgMember: ada\)$/),
      expect.stringMatching(/^\[mandatory\] orgseat-token-life \(\S+:OrgMember: ada\)$/),
    ]);
    stack.declare([ada({ recipients: [KEY], rotateEvery: "90d" }, { protect: true })]);
    const passed = await stack.up("--policy-pack", pack);
    expect(passed, passed.output).toMatchObject({ code: 0 });
    expect(passed.output).toMatch(/✅ our-policies@v1\.0\.0/);
    expect((await stack.sandbox.service.management.snapshot()).tokens).toHaveLength(1);
  });
});
