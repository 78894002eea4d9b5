/** Public keys in plans: which key can open a token is visible, and a roster cannot give a token to a foreign key unseen. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeAll, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToMarkdown } from "../../command/cli/results-json.ts";
import { fingerprintOf } from "../../command/roster/facts.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { type NewPerson, person } from "./people.ts";
import { Years } from "./years.ts";

const keys: string[] = [];
beforeAll(async () => {
  for (let count = 0; count < 5; count++)
    keys.push(await identityToRecipient(await generateX25519Identity()));
});

/** Public keys by number, and their fingerprints. */
const key = (...numbers: readonly number[]): string[] => numbers.map((one) => keys[one] ?? "");
const print = (number: number): string => fingerprintOf(keys[number] ?? "");

const sealed = (name: string, ...numbers: readonly number[]): NewPerson =>
  person(name, { recipients: key(...numbers) });

const UNSEALED = "Anyone who can decrypt the state can then read the token";

/** An organization of these people, and what it shows and does for other rows. */
async function organizationOf(...people: readonly NewPerson[]) {
  const { years, roster } = await Years.of(people);
  return {
    ...{ years, roster },
    show: async (...rows: readonly NewPerson[]) => {
      const preview = await years.preview({ ...roster, people: rows });
      const { plan, violations } = preview;
      const guards = violations.map(({ guard }) => guard);
      return { text: previewToText(preview), markdown: previewToMarkdown(preview), guards, plan, violations };
    },
    apply: async (...rows: readonly NewPerson[]) =>
      expect((await years.up({ ...roster, people: rows })).status).toBe("succeeded"),
  };
}

test("a plan has the fingerprint of each key: old and new, of a new row, and of a deleted one", async () => {
  const { show } = await organizationOf(sealed("ada", 0), person("bob"), sealed("cy", 1));
  const rows = [sealed("ada", 2), sealed("bob", 3), person("cy")];
  const { text, markdown, plan } = await show(...rows);
  expect(text).toMatch(new RegExp(`ada@acme\\.example .*: recipients ${print(0)} -> ${print(2)}$`, "m"));
  expect(text).toMatch(new RegExp(`bob@acme\\.example .*: recipients none -> ${print(3)}$`, "m"));
  expect(text).toMatch(
    new RegExp(`cy@acme\\.example .*: recipients ${print(1)} -> none\\. ${UNSEALED}$`, "m"),
  );
  for (const shown of [`${print(0)} -> ${print(2)}`, `none -> ${print(3)}`, `${print(1)} -> none`]) {
    expect(markdown, "in the comment, which reviewers read").toContain(shown);
  }
  const issued = plan.entries.filter(({ operation }) => operation === "issue token");
  expect(issued.map(({ facts }) => [facts.recipientsBefore, facts.recipients])).toEqual([
    [[print(0)], [print(2)]],
    [undefined, [print(3)]],
    [[print(1)], undefined],
  ]);
});

test("a plan has the fingerprint of a key that joins, is added to another one, or taken away beside it", async () => {
  const { show } = await organizationOf(sealed("ada", 0), sealed("bob", 1, 2));
  const { text } = await show(sealed("ada", 0, 3), sealed("bob", 1), sealed("di", 4));
  const both = (...numbers: readonly number[]): string => numbers.map(print).toSorted().join(", ");
  expect(text).toMatch(new RegExp(`di@acme\\.example .*issue token: sealed for ${print(4)}$`, "m"));
  expect(text).toContain(`recipients ${print(0)} -> ${both(0, 3)}`);
  expect(text).toContain(`recipients ${both(1, 2)} -> ${print(1)}`);
});

test("foreign key: a key of another person is refused in a changed row and in a new one, and two rows cannot share one", async () => {
  const { years, show } = await organizationOf(sealed("ada", 0), sealed("eve", 1), person("bob"));
  const others = [sealed("ada", 0), person("bob")];
  const changed = await show(...others, sealed("eve", 0));
  expect(changed.guards).toEqual(["foreign-key"]);
  expect(changed.violations).toMatchObject([
    { people: ["eve@acme.example"], details: [`eve@acme.example: ${print(0)}`] },
  ]);
  expect((await show(...others, sealed("eve", 1, 0))).guards).toEqual(["foreign-key"]);
  const joining = await show(...others, sealed("eve", 1), sealed("new", 0));
  expect(joining.guards).toEqual(["foreign-key"]);
  const twins = await show(...others, sealed("eve", 1), sealed("n1", 3), sealed("n2", 3));
  expect(twins.violations).toMatchObject([
    { guard: "foreign-key", people: ["n1@acme.example", "n2@acme.example"] },
  ]);
  // The keys of two people change places.
  const swapped = await show(sealed("ada", 1), person("bob"), sealed("eve", 0));
  expect(swapped.violations).toMatchObject([{ people: ["ada@acme.example", "eve@acme.example"] }]);
  expect(await years.calls()).toEqual([]);
});

test("foreign key: a key that another person had is refused, also after that person is gone, and the person can have it again", async () => {
  const { show, apply } = await organizationOf(sealed("ada", 0), sealed("eve", 1), sealed("bob", 3));
  // In the same change, too.
  expect((await show(sealed("eve", 0), sealed("bob", 3))).guards).toEqual(["foreign-key"]);
  await apply(sealed("ada", 2), sealed("eve", 1), sealed("bob", 3));
  expect((await show(sealed("ada", 2), sealed("eve", 0), sealed("bob", 3))).guards).toEqual(["foreign-key"]);
  await apply(sealed("eve", 1), sealed("bob", 3));
  for (const number of [0, 2]) {
    const late = await show(sealed("eve", number), sealed("bob", 3));
    expect(late.guards).toEqual(["foreign-key"]);
  }
  await apply(sealed("ada", 0), sealed("eve", 1), sealed("bob", 3));
});

test("foreign key: keys that two people share since before are no reason to refuse their rotation", async () => {
  const { years, roster } = await organizationOf(sealed("ada", 0), sealed("eve", 0));
  const rotated = await rotateTokens(await years.open(roster), ["ada"], {});
  expect(rotated.status).toBe("succeeded");
});

test("unsealed token: the change that uses it cannot switch require_sealed_tokens off; a separate change shows it", async () => {
  const { years, roster, show, apply } = await organizationOf(sealed("ada", 0), sealed("bob", 1));
  await years.up({ ...roster, requireSealedTokens: true });
  const unsealed = [sealed("ada", 0), person("bob")];
  const refused = await show(...unsealed);
  expect(refused).toMatchObject({
    guards: ["unsealed-token"],
    violations: [{ people: ["bob@acme.example"] }],
  });
  expect((await show(sealed("ada", 0), sealed("bob", 1), person("new"))).guards).toEqual(["unsealed-token"]);

  const off = await show(sealed("ada", 0), sealed("bob", 1));
  expect(off.guards).toEqual([]);
  expect(off.text).toContain("stop requiring sealed tokens: require_sealed_tokens true -> none");
  await apply(sealed("ada", 0), sealed("bob", 1));
  const after = await show(...unsealed);
  expect(after.guards).toEqual([]);
  expect(after.text).toContain(UNSEALED);
});

test("unsealed token: with ORGSEAT_REQUIRE_SEALED_TOKENS=true no roster switches it off", async () => {
  const { years, roster } = await organizationOf(sealed("ada", 0), sealed("bob", 1));
  const people = [sealed("ada", 0), person("bob")];
  const environment = { ...years.environment, ORGSEAT_REQUIRE_SEALED_TOKENS: "true" };
  const { status, preview } = await upAll(await years.open({ ...roster, people }, { environment }), {});
  expect(status).toBe("failed");
  expect(preview.stopped).toMatchObject([
    {
      ...{ key: "bob", code: "invalid-roster" },
      text: expect.stringContaining("missing, and orgseat:requireSealedTokens requires it for each token"),
    },
  ]);
  expect(await years.calls()).toEqual([]);
});
