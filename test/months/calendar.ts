/** What happens to an organization over 13 months, drawn from a seed: data alone. Who it happens to is chosen on the day. */
import type { PlatformName } from "../../sandbox/service/index.ts";
import { randomOf } from "../provider/member/second-cases.ts";

export const LAST_DAY = 396;

/** How often each happens in 13 months, and which part of it at least. At most one of the disturbances falls on a day. */
const edits = {
  join: 150,
  "row deleted": 45,
  offboard: 25,
  "access end set": 30,
  return: 25,
  "team changed": 30,
  "address changed": 25,
  "seat on or off": 40,
  "token settings changed": 60,
  "token rotated": 30,
  "own token issued": 12,
} as const;
const disturbances = {
  "service away for days": 5,
  "service away within a run": 12,
  "requests refused": 15,
  "answers lost": 15,
  "run killed": 15,
  "state restored": 6,
  "two administrators": 12,
  "stale plan": 8,
} as const;
/** From then on, an identity provider adds and removes the members. */
const directory = { "directory joins": 30, "directory leaves": 20, "directory renames": 8 } as const;

export type Disturbance = keyof typeof disturbances;
export type Edit = keyof typeof edits | keyof typeof directory;
export type Kind = Edit | Disturbance;

export interface Happening<Of extends Kind = Kind> {
  readonly kind: Of;
  /** From 0 to 1: it chooses who, and how. */
  readonly draw: () => number;
}

export interface Day {
  /** Since the first one. */
  readonly day: number;
  readonly edits: readonly Happening<Edit>[];
  readonly disturbance: Happening<Disturbance> | undefined;
  readonly isDirectory: boolean;
}

export interface Calendar {
  readonly days: readonly Day[];
  /** How often each kind is in it. */
  readonly counts: ReadonlyMap<Kind, number>;
}

/** @param count of days with a run, from the first to the last day */
export function calendarOf(seed: number, count: number, platform: PlatformName): Calendar {
  const random = randomOf(seed);
  const places = Array.from({ length: count }, (_, index) => ({
    ...{ day: Math.round((index * LAST_DAY) / (count - 1)), edits: [] as Happening<Edit>[] },
    ...{ disturbance: undefined as Happening<Disturbance> | undefined },
    isDirectory: platform === "anaconda" && index > count * 0.6,
  }));
  const counts = new Map<Kind, number>();
  const share = Math.min(1, count / 120);
  const happening = <Of extends Kind>(kind: Of): Happening<Of> => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return { kind, draw: randomOf(Math.floor(random() * 2 ** 31)) };
  };
  const place = <Of extends Kind>(
    kinds: Readonly<Record<Of, number>>,
    put: (day: (typeof places)[number], one: Happening<Of>) => void,
    isFree: (day: (typeof places)[number], kind: Of) => boolean,
  ): void => {
    for (const [kind, often] of Object.entries<number>(kinds) as [Of, number][])
      for (let left = Math.max(1, Math.floor(often * share)); left > 0; left--) {
        const free = places.slice(1).filter((one) => isFree(one, kind));
        const day = free[Math.floor(random() * free.length)];
        if (day === undefined) throw new Error(`no day for ${kind}`);
        put(day, happening(kind));
      }
  };
  // A backup is there from the third day on, and the last day ends undisturbed.
  place(
    disturbances,
    (day, one) => {
      day.disturbance = one;
    },
    (day) => day.disturbance === undefined && day !== places[1] && day !== places.at(-1),
  );
  place(
    edits,
    (day, one) => void day.edits.push(one),
    // The addresses of a directory change there.
    ({ isDirectory }, kind) => !isDirectory || kind !== "address changed",
  );
  if (platform === "anaconda")
    place(
      directory,
      (day, one) => void day.edits.push(one),
      ({ isDirectory }) => isDirectory,
    );
  return { days: places, counts };
}
