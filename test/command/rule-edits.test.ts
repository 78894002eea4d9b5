/** Edits of a roster that decide who keeps access and send no request: each is shown, applied to the state, and then quiet. */
import { expect, test, vi } from "vitest";
import { previewToText, resultToText } from "../../command/cli/results.ts";
import { codeOfPreview, previewToMarkdown } from "../../command/cli/results-json.ts";
import { prose } from "../../command/plan/texts/markdown-text.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { type NewPerson, type NewRoster, person } from "./people.ts";
import { DAY, START, Years } from "./years.ts";

const END = "2026-12-31T23:59:59Z";
const LATER = "2028-06-30T12:00:00Z";
const AFTER = Date.parse("2027-01-01T02:00:00Z");
const ada = (more: Partial<NewPerson> = {}): NewPerson => person("ada", more);
const bob = person("bob");
const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";

type Row = Partial<NewPerson> & Pick<NewRoster, "onDelete">;

const ended = ["change the access end: access_until", "access end changed in the state"] as const;
const rotated = ["change the rotation rule: rotate_every", "rotation rule changed in the state"] as const;
const removal = [
  "change what happens when the row is deleted: on_delete",
  "on_delete changed in the state",
] as const;
const unprotected = ["remove the protection from removal", "no longer protected from removal"] as const;
/** Name, row before and after, words in plan and result, and the change as the plan has it. */
const edits: readonly (readonly [string, Row, Row, readonly [planned: string, done: string], string])[] = [
  ["access_until deleted", { accessUntil: END }, {}, ended, " 2026-12-31 -> none"],
  ["access_until moved", { accessUntil: END }, { accessUntil: LATER }, ended, ` 2026-12-31 -> ${LATER}`],
  ["access_until written", {}, { accessUntil: END }, ended, " none -> 2026-12-31"],
  ["protected taken away", { protected: true }, {}, unprotected, ""],
  ["rotate_every removed", { rotateEvery: "90d" }, {}, rotated, " 90d -> none"],
  ["rotate_every longer", { rotateEvery: "90d" }, { rotateEvery: "3650d" }, rotated, " 90d -> 3650d"],
  ["a changed on_delete", { onDelete: "retain" }, { onDelete: "delete" }, removal, " retain -> delete"],
];

function rosterWith(roster: NewRoster, { onDelete, ...row }: Row): NewRoster {
  return { ...roster, onDelete, people: [ada(row), ...(onDelete === undefined ? [bob] : [])] };
}

test.each(edits)(
  "%s gives an entry with its own words, counts for --exit-code, and is applied to the state",
  async (_, before, after, [words, done], change) => {
    const planned = words + change;
    const { years, roster } = await Years.of([ada(), bob]);
    expect((await years.up(rosterWith(roster, before))).status).toBe("succeeded");
    await years.calls();

    const edited = rosterWith(roster, after);
    const preview = await years.preview(edited);
    expect(codeOfPreview(preview, true)).toBe(2);
    expect(previewToText(preview)).toContain(`ada@acme.example  ${planned}`);
    expect(previewToText(preview).startsWith(`${words.split(":")[0]}: 1 person`)).toBe(true);
    expect(previewToMarkdown(preview)).toContain(prose(planned, 400));

    const confirm = vi.fn(async () => false);
    expect((await years.up(edited, { confirm })).status, "a no leaves the state").toBe("declined");
    expect(confirm, "up asks").toHaveBeenCalledTimes(1);
    const result = await years.up(edited);
    expect(result.status).toBe("succeeded");
    expect(resultToText(result)).toContain(done);
    expect(await years.calls()).toEqual([]);
    expect((await years.preview(edited)).plan.hasChanges).toBe(false);
  },
);

test("a changed email shows the changed end of the access, too", async () => {
  const { years, roster } = await Years.of([ada({ accessUntil: END }), bob]);
  const people = [ada({ email: "ada.l@acme.example" }), bob];
  const preview = await years.preview({ ...roster, people });
  expect(previewToText(preview)).toMatch(/ada\.l@acme\.example .*: access_until 2026-12-31 -> none/);
});

test("a setting of the roster is an entry of the plan with both values, and none after it was applied", async () => {
  const sealed = { recipients: [KEY] };
  const { years, roster } = await Years.of([ada(sealed), person("bob", sealed)]);
  const required = { ...roster, requireSealedTokens: true };
  const preview = await years.preview(required);
  expect(previewToText(preview)).toContain("require sealed tokens: require_sealed_tokens none -> true");
  expect(previewToText(preview)).toMatch(/^1 roster setting to change/);
  expect(codeOfPreview(preview, true)).toBe(2);
  expect(resultToText(await years.up(required))).toContain("sealed tokens required in the state");
  expect((await years.preview(required)).plan.hasChanges).toBe(false);

  const ending = await years.preview(roster);
  expect(previewToText(ending)).toContain("require_sealed_tokens true -> none");
  expect(ending.document.digest).not.toBe(preview.document.digest);
  expect(await years.calls()).toEqual([]);
});

test("rotate leaves a changed setting to `up`, which shows it", async () => {
  const sealed = { recipients: [KEY] };
  const { years, roster } = await Years.of([ada(sealed), person("bob", sealed)]);
  const required = await years.open({ ...roster, requireSealedTokens: true });
  const rotated = await rotateTokens(required, ["ada"], {});
  expect(previewToText(rotated.preview)).not.toContain("require_sealed_tokens");
  expect(rotated.status).toBe("succeeded");
  expect(await years.calls()).toEqual([9, 7]);
  const after = await years.preview({ ...roster, requireSealedTokens: true });
  expect(previewToText(after)).toContain("require_sealed_tokens none -> true");
});

test("renew ends only an access whose end an applied plan has shown", async () => {
  const cy = person("cy", { accessUntil: END });
  const { years, roster } = await Years.of([ada(), bob, cy]);
  years.clock.now = AFTER;
  const past = { ...roster, people: [ada({ accessUntil: "2026-10-01T23:59:59Z" }), bob, cy] };
  const declined = await years.up(past, { confirm: async () => false });
  expect(declined.status).toBe("declined");

  const renewed = await renewTokens(await years.open(past), {});
  expect(renewed).toMatchObject({ status: "succeeded", preview: { otherChanges: 1 } });
  expect(renewed.preview.plan.losingAccess.map(({ key }) => key)).toEqual(["cy"]);
  expect(await years.calls()).toEqual([9, 10, 11]);
  expect([...(await years.userIds(await years.open())).keys()].toSorted()).toEqual(["ada", "bob"]);
});

test("renew leaves a person whose applied end is still to come, although the row has a past date now", async () => {
  const { years, roster } = await Years.of([ada({ accessUntil: "2028-12-31T23:59:59Z" }), bob]);
  years.clock.now = AFTER;
  const people = [ada({ accessUntil: END }), bob];
  const renewed = await renewTokens(await years.open({ ...roster, people }), {});
  expect(renewed).toMatchObject({ status: "succeeded", preview: { otherChanges: 1 } });
  expect(await years.calls()).toEqual([]);
  expect((await years.up({ ...roster, people })).status).toBe("succeeded");
  expect(await years.calls()).toEqual([9, 10, 11]);
});

test("renew leaves an edited rule in the state as it is, until an up shows the edit", async () => {
  const ruled = person("bob", { rotateEvery: "3650d" });
  const { years, roster } = await Years.of([ada({ rotateEvery: "3650d" }), ruled]);
  years.clock.now = START + DAY;
  const subscriptionExpiresAt = "2032-06-30T23:59:59Z";
  await years.renewSubscription(subscriptionExpiresAt);
  const edited = { ...roster, subscriptionExpiresAt, people: [ada(), ruled] };
  const renewed = await renewTokens(await years.open(edited), {});
  const operations = renewed.preview.plan.entries.map(({ key, operation }) => [key, operation]);
  expect(operations).toEqual([
    ["ada", "renew token"],
    ["bob", "renew token"],
  ]);
  expect(await years.calls()).toEqual([8, 8]);
  expect(previewToText(await years.preview(edited))).toContain("rotate_every 3650d -> none");
});
