// @module-tag ci
/** Sealed tokens by the command: only their owners can read them, whatever else someone has. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { findSecrets, marked, markedSecrets } from "../setup/secrets.ts";
import { type Row, testOrganization } from "./organization.ts";

interface Person {
  readonly identity: string;
  readonly row: Row;
}

async function sealedPerson(name: string): Promise<Person> {
  const identity = await generateX25519Identity();
  return {
    identity,
    row: { email: `${name}@acme.example`, recipients: await identityToRecipient(identity) },
  };
}

async function open(file: string, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(readFileSync(file, "utf8")), "text");
}

const hashOf = (value: string): string => createHash("sha256").update(value).digest("hex");

describe("sealed tokens", () => {
  const suite = {
    name: "sealed tokens by the command",
    level: "E",
    cases: 10,
    siblings: 2,
  } as const;

  test("each owner opens the value that the service has; nothing else has it, with the passphrase either", async () => {
    await checkCases(suite, fc.integer({ min: 1, max: 3 }), async (count) => {
      const acme = await testOrganization({ seats: 20 });
      const people = await Promise.all(
        Array.from({ length: count }, (_, index) => sealedPerson(`p${index}`)),
      );
      acme.write(
        people.map(({ row }) => row),
        { require_sealed_tokens: "true" },
      );

      await acme.succeed("up", "--yes");
      await acme.succeed("preview");
      await acme.succeed("report");
      const link = join(acme.folder, "tokens", "p0@acme.example.age");
      mkdirSync(dirname(link));
      symlinkSync(join(acme.folder, "elsewhere"), link);
      expect(await acme.succeed("token", "--sealed", "--all", "--out", "tokens")).toContain(
        `Wrote ${count} sealed token`,
      );
      expect(await acme.succeed("token", "--sealed", "p0@acme.example")).toMatch(
        /^-----BEGIN AGE ENCRYPTED FILE-----\n/,
      );
      expect(existsSync(join(acme.folder, "elsewhere"))).toBe(false);
      expect(lstatSync(link).mode & 0o777).toBe(0o600);
      const refused = await acme.orgseat("token", "p0@acme.example", "--out", "plain");
      expect(refused.stderr).toContain("orgseat token --sealed p0@acme.example");
      const opened = await acme.pulumi("stack", "export", "--stack", "people", "--show-secrets");
      expect(opened.code, opened.stderr).toBe(0);

      const members = await acme.members();
      for (const { identity, row } of people) {
        const value = await open(join(acme.folder, "tokens", `${row.email}.age`), identity);
        expect(value.startsWith(marked.minted)).toBe(true);
        expect(hashOf(value)).toBe(members[row.email ?? ""]?.token);
      }
      acme.expectNoSecrets();
      expect(findSecrets(markedSecrets, { folders: [join(acme.folder, "state")] })).toEqual([]);
      await acme.close();
    });
  });

  test("a token that is not sealed is found where the passphrase opens it", async () => {
    const acme = await testOrganization({ seats: 20 });
    acme.write([{ email: "ada@acme.example" }]);
    await acme.succeed("up", "--yes");
    const { stdout } = await acme.pulumi("stack", "export", "--stack", "people", "--show-secrets");
    const found = findSecrets(markedSecrets, { texts: { stdout } });
    expect(found.map(({ secret }) => secret)).toContain("minted");
    const none = await acme.orgseat("token", "--sealed", "ada@acme.example");
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("has no sealed token") });
  });
});
