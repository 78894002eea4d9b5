/** Public keys in plans: which key can open a token is visible, and a roster cannot give a token to a foreign key unseen. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeAll, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToMarkdown } from "../../command/cli/results-json.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { fingerprintOf } from "../../command/roster/facts.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { type NewPerson, type NewRoster, person } from "./people.ts";
import { Years } from "./years.ts";

const keys: string[] = [];
beforeAll(async () => {
  for (let count = 0; count < 4; count++)
    keys.push(await identityToRecipient(await generateX25519Identity()));
});

/** Public keys by number, and their fingerprints. */
const key = (...numbers: readonly number[]): string[] => numbers.map((one) => keys[one] ?? "");
const print = (number: number): string => fingerprintOf(keys[number] ?? "");

const sealed = (name: string, ...numbers: readonly number[]): NewPerson =>
  person(name, { recipients: key(...numbers) });

const UNSEALED = "Anyone who can decrypt the state can then read the token";

/** The text of a preview, and the guards that refuse it. */
async function previewOf(years: Years, roster: NewRoster, ...people: readonly NewPerson[]) {
  const preview = await previewAll(await years.open({ ...roster, people }), {});
  const { plan, violations } = preview;
  const markdown = previewToMarkdown(preview);
  return {
    text: previewToText(preview),
    markdown,
    guards: violations.map(({ guard }) => guard),
    plan,
    violations,
  };
}

async function apply(years: Years, roster: NewRoster, ...people: readonly NewPerson[]): Promise<string> {
  const { status, preview } = await upAll(await years.open({ ...roster, people }), {});
  await years.calls();
  return [status, ...preview.violations.map(({ guard }) => guard)].join(" ");
}

test("a plan has the fingerprint of each key: old and new, of a new row, and of a deleted one", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), person("bob"), sealed("cy", 1)]);
  const rows = [sealed("ada", 2), sealed("bob", 3), person("cy")];
  const { text, markdown, plan } = await previewOf(years, roster, ...rows);
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
  const joined = await previewOf(
    years,
    roster,
    sealed("ada", 0),
    person("bob"),
    sealed("cy", 1),
    sealed("di", 3),
  );
  expect(joined.text).toMatch(new RegExp(`di@acme\\.example .*issue token: sealed for ${print(3)}$`, "m"));
});

test("a plan has the fingerprint of a key that is added to another one, or taken away beside it", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("bob", 1, 2)]);
  const { text } = await previewOf(years, roster, sealed("ada", 0, 3), sealed("bob", 1));
  const both = (...numbers: readonly number[]): string => numbers.map(print).toSorted().join(", ");
  expect(text).toContain(`recipients ${print(0)} -> ${both(0, 3)}`);
  expect(text).toContain(`recipients ${both(1, 2)} -> ${print(1)}`);
});

test("foreign key: a key of another person is refused in a changed row and in a new one, and two rows cannot share one", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("eve", 1), person("bob")]);
  const others = [sealed("ada", 0), person("bob")];
  const changed = await previewOf(years, roster, ...others, sealed("eve", 0));
  expect(changed.guards).toEqual(["foreign-key"]);
  expect(changed.violations).toMatchObject([
    { people: ["eve@acme.example"], details: [`eve@acme.example: ${print(0)}`] },
  ]);
  expect((await previewOf(years, roster, ...others, sealed("eve", 1, 0))).guards).toEqual(["foreign-key"]);
  const joining = await previewOf(years, roster, ...others, sealed("eve", 1), sealed("new", 0));
  expect(joining.guards).toEqual(["foreign-key"]);
  const twins = await previewOf(years, roster, ...others, sealed("eve", 1), sealed("n1", 3), sealed("n2", 3));
  expect(twins.violations).toMatchObject([
    { guard: "foreign-key", people: ["n1@acme.example", "n2@acme.example"] },
  ]);
  // The keys of two people change places.
  const swapped = await previewOf(years, roster, sealed("ada", 1), person("bob"), sealed("eve", 0));
  expect(swapped.violations).toMatchObject([{ people: ["ada@acme.example", "eve@acme.example"] }]);
  expect(await years.calls()).toEqual([]);
});

test("foreign key: a key that another person had is refused, also after that person is gone, and the person can have it again", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("eve", 1), sealed("bob", 3)]);
  // In the same change, too.
  expect((await previewOf(years, roster, sealed("eve", 0), sealed("bob", 3))).guards).toEqual([
    "foreign-key",
  ]);
  expect(await apply(years, roster, sealed("ada", 2), sealed("eve", 1), sealed("bob", 3))).toBe("succeeded");
  expect(
    (await previewOf(years, roster, sealed("ada", 2), sealed("eve", 0), sealed("bob", 3))).guards,
  ).toEqual(["foreign-key"]);
  expect(await apply(years, roster, sealed("eve", 1), sealed("bob", 3))).toBe("succeeded");
  for (const number of [0, 2]) {
    const late = await previewOf(years, roster, sealed("eve", number), sealed("bob", 3));
    expect(late.guards).toEqual(["foreign-key"]);
  }
  expect(await apply(years, roster, sealed("ada", 0), sealed("eve", 1), sealed("bob", 3))).toBe("succeeded");
});

test("foreign key: keys that two people share since before are no reason to refuse their rotation", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("eve", 0)]);
  const rotated = await rotateTokens(await years.open(roster), ["ada"], {});
  expect(rotated.status).toBe("succeeded");
});

test("unsealed token: the change that uses it cannot switch require_sealed_tokens off; a separate change shows it", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("bob", 1)]);
  const required = { ...roster, requireSealedTokens: true };
  expect(await apply(years, required, sealed("ada", 0), sealed("bob", 1))).toBe("succeeded");
  const unsealed = [sealed("ada", 0), person("bob")];
  const refused = await previewOf(years, roster, ...unsealed);
  expect(refused).toMatchObject({
    guards: ["unsealed-token"],
    violations: [{ people: ["bob@acme.example"] }],
  });
  expect((await previewOf(years, roster, sealed("ada", 0), sealed("bob", 1), person("new"))).guards).toEqual([
    "unsealed-token",
  ]);

  const off = await previewOf(years, roster, sealed("ada", 0), sealed("bob", 1));
  expect(off.guards).toEqual([]);
  expect(off.text).toContain("stop requiring sealed tokens: require_sealed_tokens true -> none");
  expect(await apply(years, roster, sealed("ada", 0), sealed("bob", 1))).toBe("succeeded");
  const after = await previewOf(years, roster, ...unsealed);
  expect(after.guards).toEqual([]);
  expect(after.text).toContain(UNSEALED);
});

test("unsealed token: with ORGSEAT_REQUIRE_SEALED_TOKENS=true no roster switches it off", async () => {
  const { years, roster } = await Years.of([sealed("ada", 0), sealed("bob", 1)]);
  const { engine } = years.fixture;
  if (!(engine instanceof DirectEngine)) throw new Error("level R");
  const people = [sealed("ada", 0), person("bob")];
  const organization = await years.open({ ...roster, people });
  const strict = { ...organization, engine: engine.copy({ ORGSEAT_REQUIRE_SEALED_TOKENS: "true" }) };
  const { status, preview } = await upAll(strict, {});
  expect(status).toBe("failed");
  expect(preview.failures[0]?.text).toContain(
    "missing, and orgseat:requireSealedTokens requires it for each token",
  );
  expect(await years.calls()).toEqual([]);
});
