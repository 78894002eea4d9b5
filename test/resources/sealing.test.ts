/** Tokens whose value only their owners can read, or no one. */
import { createHash } from "node:crypto";
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import {
  ada,
  type DirectOrganization,
  listedOrganization,
  member,
  opened,
  operation,
  organizationOn,
  outsOf,
} from "./listed.ts";

const suite: Suite = { name: "sealed tokens", level: "R", cases: 200 };

interface KeyPair {
  readonly identity: string;
  readonly recipient: string;
}

async function keyPair(make = generateX25519Identity): Promise<KeyPair> {
  const identity = await make();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Of the only valid token of the service. */
async function hashAtService({ service }: DirectOrganization, email: string): Promise<string | undefined> {
  const { users, tokens } = await service.management.snapshot();
  const { userId } = users.find((user) => user.email === email) ?? {};
  const [token, ...others] = tokens.filter((one) => one.userId === userId && !one.revoked);
  expect(others).toEqual([]);
  return token?.hash;
}

const hashOf = (value: string): string => createHash("sha256").update(value).digest("hex");
const sealedFor = (email: string, recipients: readonly string[]) =>
  member("ada", { email }, { token: { recipients } });

describe("sealed tokens", () => {
  test("each recipient reads the value that the service has, nobody else does, and no state has it", async () => {
    const places = await Promise.all(platformNames.map((platform) => organizationOn(platform)));
    const pairs = await Promise.all(
      Array.from({ length: 5 }, (_, index) => keyPair(index === 4 ? generateHybridIdentity : undefined)),
    );
    let count = 0;
    // Keys of two kinds are refused together.
    const isHybrid = ({ recipient }: KeyPair): boolean => recipient.startsWith("age1pq1");
    const classical = pairs.filter((pair) => !isHybrid(pair));
    const someone = fc.oneof(
      { weight: 4, arbitrary: fc.shuffledSubarray(classical, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant(pairs.filter(isHybrid)) },
    );
    await checkCases(
      suite,
      fc.tuple(fc.constantFrom(...places), someone, someone),
      async ([at, first, then]) => {
        const email = `p${count++}@acme.example`;
        const stack = at.stack();
        const check = async (readers: readonly KeyPair[]): Promise<string> => {
          const { value: token, sealedValue: sealed } = outsOf(stack, "ada-token");
          expect(token).toBeUndefined();
          const values = new Set(await Promise.all(readers.map((reader) => opened(sealed, reader.identity))));
          const [value = ""] = values;
          expect(values.size).toBe(1);
          expect(hashOf(value)).toBe(await hashAtService(at, email));
          expect(JSON.stringify([...stack.state])).not.toContain(value);
          for (const other of pairs.filter((one) => !readers.includes(one)))
            await expect(opened(sealed, other.identity)).rejects.toThrow();
          return value;
        };
        const recipients = first.map(({ recipient }) => recipient);

        expect((await stack.up(sealedFor(email, recipients))).errors).toEqual([]);
        const value = await check(first);

        expect(await stack.preview(sealedFor(email, [...recipients, ...recipients].reverse()))).toEqual([]);
        const others = sealedFor(
          email,
          then.map(({ recipient }) => recipient),
        );
        const isSame = first.length === then.length && first.every((one) => then.includes(one));
        expect(await stack.preview(others)).toEqual(isSame ? [] : ["ada-token"]);
        expect((await stack.up(others)).errors).toEqual([]);
        expect((await check(then)) === value).toBe(isSame);
        expect((await stack.destroy()).errors).toEqual([]);
      },
    );
  });
});

describe("a token that the state does not keep", () => {
  test("keeps no value; keeping it again issues a new one", async () => {
    const at = await organizationOn("basic");
    const stack = at.stack();
    const of = (token: Record<string, unknown>) => member("ada", ada, { token });
    expect((await stack.up(of({}))).errors).toEqual([]);
    const { value: token } = outsOf(stack, "ada-token");
    await at.requests();

    expect((await stack.up(of({ keepValue: false }))).errors).toEqual([]);
    expect(await at.calls()).toEqual([]);
    expect(JSON.stringify([...stack.state])).not.toContain(token);
    expect(await stack.preview(of({ keepValue: false }))).toEqual([]);

    expect((await stack.up(of({}))).errors).toEqual([]);
    expect(outsOf(stack, "ada-token").value).not.toBe(token);
  });
});

describe("inputs that no run accepts", () => {
  test.each([
    ["a private key", { recipients: ["AGE-SECRET-KEY-1QQQQ"] }, /recipients\S* a private key/],
    ["an SSH key", { recipients: ["ssh-ed25519 AAAA"] }, /SSH key, which is not supported/],
    ["a mistyped key", { recipients: ["age1qqqq"] }, /mistyped or incomplete/],
    ["no key at all", { recipients: [] }, /List at least one public key/],
    ["both", { recipients: [""], keepValue: false }, /no effect together with recipients/],
  ])("%s", async (_, token, message) => {
    const { recipient } = await keyPair();
    const given = token.recipients[0] === "" ? { ...token, recipients: [recipient] } : token;
    const { errors } = await (await organizationOn("basic")).stack().up(member("ada", ada, { token: given }));
    expect(errors.join()).toMatch(message);
    expect(errors.join()).not.toContain("QQQQ");
  });

  test("none, where every token must be sealed", async () => {
    const stack = (await organizationOn("basic")).stack({ ORGSEAT_REQUIRE_SEALED_TOKENS: "true" });
    expect((await stack.up(member("ada", ada))).errors.join()).toMatch(
      /orgseat:requireSealedTokens requires it/,
    );
    const { recipient } = await keyPair();
    expect((await stack.up(sealedFor("ada@acme.example", [recipient]))).errors).toEqual([]);
  });

  test("an adopted token, which has no value to seal, until it would get one", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser(ada, operation);
    await organization.neighbor.issueToken(id, "2027-01-31T23:59:59Z", operation);
    const stack = organization.stack({ ORGSEAT_REQUIRE_SEALED_TOKENS: "true" });
    const of = (token: Record<string, unknown>) =>
      member("ada", { ...ada, adopt: id }, { token: { adopt: true, ...token } });
    expect((await stack.up(of({}))).errors).toEqual([]);
    expect(outsOf(stack, "ada-token").value).toBeUndefined();
    for (const change of [{ rotation: "2" }, { rotateEvery: "1d" }]) {
      stack.now = () => Date.now() + 3 * 86_400_000;
      const { errors } = await stack.up(of(change));
      expect(errors.join(), JSON.stringify(change)).toMatch(/requireSealedTokens requires it/);
      expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([false]);
    }
  });
});
