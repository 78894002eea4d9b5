/** Random people of a roster, and what may happen to them. */
import fc, { type GeneratorValue } from "fast-check";
import type { NewPerson, NewRoster } from "../../command/roster/write.ts";

export type { NewPerson, NewRoster };
/** Somebody with a seat and a token. */
export function person(key: string, more: Partial<NewPerson> = {}): NewPerson {
  return { key, email: `${key}@acme.example`, seat: true, token: true, protected: false, ...more };
}

/** So many of them: p0, p1, and so on. */
export function crowd(count: number, more: Partial<NewPerson> = {}): NewPerson[] {
  return Array.from({ length: count }, (_, index) => person(`p${index}`, more));
}

/** A machine user with both. */
export function managed(key: string, purpose: string): NewPerson {
  return { key, purpose, seat: true, token: true, protected: false };
}

/** Draws values as a case goes on. */
export type Draw = GeneratorValue;

/** Of removals in one run: at most a fifth of the people and at most 25, and up to 3 always. */
export function limitOf(people: number): number {
  return Math.max(3, Math.min(25, Math.floor(people / 5)));
}

/** An end of a token that is earlier than the subscription's. */
const EARLY = "2027-01-01T00:00:00Z";

/** Somebody new: mostly a person with seat and token. @param key names no one else */
export function drawnPerson(draw: Draw, key: string): NewPerson {
  const seat = draw(fc.integer, { min: 0, max: 9 }) > 0;
  const token = seat && draw(fc.integer, { min: 0, max: 9 }) > 0;
  const isManaged = draw(fc.integer, { min: 0, max: 9 }) === 0;
  const common = { key, seat, token, protected: false };
  return isManaged ? { ...common, purpose: `Builds of ${key}` } : { ...common, email: `${key}@acme.example` };
}

export function drawnPeople(draw: Draw, count: number, prefix: string): NewPerson[] {
  return Array.from({ length: count }, (_, index) => drawnPerson(draw, `${prefix}${index}`));
}

/** Each takes something from the person; undefined if the person has nothing of the kind. */
const losses: Readonly<
  Record<string, (person: NewPerson, mark: string) => NewPerson | "dropped" | undefined>
> = {
  "the row is dropped": () => "dropped",
  "the key of a machine user is renamed": (person, mark) =>
    person.email === undefined ? { ...person, key: `${person.key}-${mark}` } : undefined,
  "another person has the key": (person, mark) =>
    person.email === undefined ? undefined : { ...person, email: `${mark}-${person.email}` },
  "a machine user gets another purpose": (person, mark) =>
    person.email === undefined ? { ...person, purpose: `${mark} ${person.purpose}` } : undefined,
  "a machine user becomes a person": (person, mark) =>
    person.email === undefined
      ? { ...person, purpose: undefined, email: `${mark}-${person.key}@acme.example` }
      : undefined,
  "a person becomes a machine user": ({ email, firstName, lastName, ...person }, mark) =>
    email === undefined ? undefined : { ...person, purpose: `Builds of ${mark}` },
  "the seat is taken away": (person) => (person.seat ? { ...person, seat: false, token: false } : undefined),
  "the token is taken away": (person) => (person.token ? { ...person, token: false } : undefined),
  "the token is rotated": (person, mark) => (person.token ? { ...person, rotation: mark } : undefined),
  "the token ends earlier": (person) => (person.token ? { ...person, expires: EARLY } : undefined),
};

/** Any loss that fits. */
export function withLoss(draw: Draw, person: NewPerson, mark: string): NewPerson | "dropped" {
  const found = Object.values(losses).flatMap((loss) => loss(person, mark) ?? []);
  return draw(() => fc.constantFrom(...found));
}

/** So many of the people, in any order. */
export function someOf(draw: Draw, people: readonly NewPerson[], count: number): NewPerson[] {
  return draw(() => fc.shuffledSubarray([...people], { minLength: count, maxLength: count }));
}
