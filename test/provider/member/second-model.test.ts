// @module-tag ci
/**
 * Compares the steps of a member with a second model, on random members in every state and with every wish: calls in order, by
 * unit, with user, token, date and condition, or why there are none. The counts show that nothing is left out.
 */
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { observe } from "../../../provider/member/observe.ts";
import { NEW_USER, noPlan, type Plan, type Reason, type Step } from "../../../provider/member/step.ts";
import { stepsOf } from "../../../provider/member/steps/steps-of.ts";
import type { WantedMember } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { recordSuite, seed } from "../../setup/cases.ts";
import { ADA, LOVELACE, now } from "./people.ts";
import { numbers, platforms } from "./run.ts";
import { type Drawn, drawn, EARLIER, PAST } from "./second-cases.ts";
import { met, names } from "./second-counts.ts";
import { secondModel } from "./second-model.ts";
import { type Answer, endOf, look, type Person } from "./second-view.ts";

const COUNT = 20_000;
const LEAST = 200;
const waits: readonly Reason[] = [
  "userUndecided",
  "userAmbiguous",
  "pendingOther",
  "removalUndecided",
  "notInDirectory",
];

interface Decision {
  readonly title: string;
  readonly holds: (person: Person, one: Drawn, plan: Plan) => unknown;
}

/** Where the product decides otherwise than the second model, and is left as it is. */
const decided: readonly Decision[] = [
  {
    title:
      "basic: a user adopted for a changed address gets the seat before the old one loses it, because it may have one",
    holds: ({ userId, seat }, { platform, held }) =>
      platform === "basic" &&
      seat &&
      userId &&
      held.users.length > 0 &&
      held.users.every(({ id }) => id !== userId),
  },
  {
    title:
      "`adopt` of a token is looked for whenever the user has none that is held, and adopted before one is issued",
    holds: ({ token }, one, { units }) =>
      token?.adopt &&
      (tokensOf(one).includes(0) ||
        units.some(({ steps }) => steps.some(({ onlyIf }) => onlyIf?.includes("noOtherToken")))),
  },
  {
    title:
      "`replaceExisting` where a user can have several tokens: only one of the wanted end may be the own one",
    holds: ({ token, userId }, one) =>
      one.platform === "anaconda" && token?.replaceExisting && (userId || tokensOf(one).includes(0)),
  },
  {
    title:
      "a token without its id is renewed to the end of the subscription, and gets no earlier date before its id is known",
    holds: ({ token }, one) => one.platform === "anaconda" && token?.expiresAt && hasNoId(one),
  },
  {
    title: "a token that the list does not identify stops the member, even if nothing is due",
    holds: (_, one, { refused }) =>
      refused.some(({ reason }) => reason === "tokenAmbiguous") &&
      !modelOf(one).stops.includes("tokenAmbiguous"),
  },
  {
    title: "a schedule whose new value would be expired does nothing, where the date has not changed",
    holds: ({ token }, one) => token?.rotateEvery && token.expiresAt === PAST && hasExpired(one),
  },
  {
    title: "a date that has passed is requested as long as its tolerance lasts",
    holds: ({ token }) => token?.tolerance && token.expiresAt === PAST,
  },
  {
    title: "an adopted token may end after a declared date that has passed",
    holds: ({ token, userId }) => userId && token?.adopt && token.expiresAt === PAST,
  },
];

function modelOf(one: Drawn): Answer {
  return secondModel({ ...one, can: platforms[one.platform], now });
}

function tokensOf(one: Drawn): number[] {
  return viewOf(one).users.map(({ tokens }) => tokens.length);
}

function hasNoId(one: Drawn): boolean {
  return viewOf(one).users.some(({ tokens: [token] }) => token !== undefined && token.id === undefined);
}

function hasExpired(one: Drawn): boolean {
  return viewOf(one).users.some(({ tokens: [token], unmanaged }) => {
    const known = token ?? unmanaged?.instead;
    return known !== undefined && endOf(known) <= now;
  });
}

function viewOf(one: Drawn) {
  return look({ ...one, can: platforms[one.platform], now });
}

function planOf({ held, seen, platform }: Drawn, wanted: Drawn["wanted"] | WantedMember): Plan {
  return stepsOf(observe(held, seen), wanted, now, platforms[platform]);
}

function stepText({ call, user = NEW_USER, token, target, onlyIf = [], effect }: Step, end: string): string {
  const of = effect !== undefined && "user" in effect ? effect.user : "";
  if (call === undefined)
    return [`~${effect?.do}`, typeof of === "string" ? of : of.id, ...onlyIf].join(" ").trim();
  const date = target?.expiresAt ?? end;
  const parts: (string | undefined)[] = [];
  if (call === "add user") parts.push(target?.address ?? target?.purpose, target?.isAgain && "again");
  if (call === "issue token") parts.push(date, target?.mark);
  if (call === "renew token") parts.push(date);
  if (call === "revoke token") parts.push(token);
  return [numbers[call], user, ...parts.filter((part) => part !== undefined), ...onlyIf].join(" ");
}

/** Changes of the state count where they stand for a call: adopted, forgotten, and retained. */
function textsOf({ units, refused, waits: waiting, isReplaced }: Plan, { wanted }: Drawn): Answer {
  if (isReplaced) return { units: ["replace"], stops: [] };
  const end = ("seat" in wanted && wanted.subscriptionExpiresAt) || "";
  const texts = units.map(({ steps }) =>
    steps
      .filter(({ effect }) => effect?.do !== "agree")
      .map((step) => stepText(step, end))
      .join(" + "),
  );
  expect(waiting.every(({ reason }) => waits.includes(reason))).toBe(true);
  expect(refused.some(({ reason }) => waits.includes(reason))).toBe(false);
  return {
    units: texts.filter((text) => text !== "" && !/^~(key|observe|token|pending|promote)/.test(text)),
    stops: [...refused, ...waiting].map(({ reason }) => reason),
  };
}

/** The difference, if there is one. */
function compare(one: Drawn, plan: Plan): object | undefined {
  const model = secondModel({ ...one, can: platforms[one.platform], now });
  const product = textsOf(plan, one);
  const { stops } = product;
  const isStopped = stops.length > 0;
  const isTold = isStopped === model.stops.length > 0 && stops.every((stop) => model.stops.includes(stop));
  return isTold && isDeepStrictEqual(product.units, model.units) ? undefined : { one, product, model };
}

/** An unknown input, and values that it may get. */
interface Open {
  readonly unknown: Partial<WantedMember>;
  readonly known: readonly Partial<Person>[];
  /** Calls that the product does not show, although they may be due. */
  readonly hidden?: readonly string[];
}

function opened({ token, email, seat }: Person, { held, platform }: Drawn, index: number): Open {
  const all: Open[] = [
    { unknown: { accessUntil: unknown }, known: [{ accessUntil: PAST }, { accessUntil: undefined }] },
  ];
  if (!token) all.push({ unknown: { seat: unknown }, known: [{ seat: true }, { seat: false }] });
  // Of an unknown token, the plan says that it may be revoked or issued, not that it may be renewed or replaced.
  const hidden = held.users.some(({ tokens }) => tokens.length > 0) ? ["7", "8"] : [];
  if (seat) all.push({ unknown: { token: unknown }, known: [{ token: undefined }, { token: {} }], hidden });
  // Of two users, one of whom has an unknown address, the plan does not show what the second one's token needs.
  if (email && held.users.length < 2)
    all.push({ unknown: { email: unknown }, known: [{ email: ADA }, { email: LOVELACE }] });
  if (token) {
    const of = (more: Partial<NonNullable<Person["token"]>>) => ({ token: { ...token, ...more } });
    all.push({
      unknown: { token: { ...token, mark: unknown } },
      known: [of({ mark: undefined }), of({ mark: "9" })],
    });
    const known = [of({ expiresAt: undefined }), of({ expiresAt: EARLIER })];
    // Without a renewal to any date, an earlier one replaces the token: shown only once it is known.
    const replaced = platform === "basic" ? ["7", "9"] : [];
    all.push({ unknown: { token: { ...token, expiresAt: unknown } }, known, hidden: replaced });
  }
  const found = all[index % all.length];
  if (found === undefined) throw new Error("no input");
  return found;
}

function callsIn(answer: Answer): string[] {
  return answer.units.flatMap((unit) => unit.split(" + ").flatMap((text) => /^\d+/.exec(text) ?? []));
}

/**
 * Whether the plan shows each call that a value of an unknown input makes due: not of who is protected what may be taken, and of
 * two users what the second one needs.
 */
function isShown(one: Drawn, persons: readonly Person[]): boolean {
  const { agreed, users } = one.held;
  const isProtected = agreed.protected || persons.some((person) => person.protected);
  const isDecided = persons.some((person) => decided.some(({ holds }) => holds(person, one, noPlan)));
  return !isProtected && !isDecided && users.length < 2;
}

/** With an unknown input, the plan shows each call that one of its values makes due. */
function compareOpen(
  one: Drawn,
  persons: readonly Person[],
  { unknown: open, hidden = [] }: Open,
  plan: Plan,
) {
  const can = platforms[one.platform];
  const answers = persons.map((wanted) => secondModel({ ...one, wanted, can, now }));
  const steps = plan.units.flatMap((unit) => unit.steps);
  const shown = [...hidden, ...steps.map(({ call }) => String(call && numbers[call]))];
  const isStopped = answers.some(({ stops }) => stops.length > 0);
  const lacking = answers.flatMap(callsIn).filter((call) => !shown.includes(call));
  if (isStopped || lacking.length === 0) return undefined;
  return { one, open: Object.keys(open), lacking, product: textsOf(plan, one), answers };
}

test("a member has the steps of the second model", () => {
  const suite = { name: "steps of a second model", level: "R" as const, cases: COUNT };
  const started = performance.now();
  console.log(`${suite.name} (R): ${COUNT} cases, seed ${seed}`);
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const differences: object[] = [];
  let index = 0;
  for (const one of drawn(seed, COUNT)) {
    index += 1;
    const { wanted } = one;
    const plan = planOf(one, wanted);
    const person = "seat" in wanted ? wanted : undefined;
    const decision = person && decided.find(({ holds }) => holds(person, one, plan));
    const found = met(one, plan);
    const difference = compare(one, plan);
    if (difference && decision) count(decision.title);
    if (difference && !decision) differences.push(difference);
    // Only a program has unknown inputs, and its preview reads no list.
    const preview: Drawn = { ...one, seen: {} };
    const input = person && index % 3 === 0 ? opened(person, preview, index / 3) : undefined;
    if (person && input) {
      const open = planOf(preview, { ...person, ...input.unknown });
      const all = input.known.map((known) => ({ ...person, ...known }));
      const hidden = isShown(preview, all) ? compareOpen(preview, all, input, open) : undefined;
      if (hidden) differences.push(hidden);
      for (const name of met(preview, open)) found.add(name);
    }
    for (const name of found) count(name);
  }
  for (const { title } of decided) console.log(`decided in ${counts.get(title) ?? 0} cases: ${title}`);
  expect(differences.slice(0, 3), `seed ${seed}, ${differences.length} differences`).toEqual([]);
  const rare = names.filter((name) => (counts.get(name) ?? 0) < LEAST);
  expect(rare.map((name) => `${name}: ${counts.get(name) ?? 0}`)).toEqual([]);
  recordSuite(suite, index, started);
});
