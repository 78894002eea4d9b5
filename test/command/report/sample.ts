/** A small report with all sections, which the documentation shows too. */
import { buildReport } from "../../../command/report/report.ts";
import {
  type HeldMember,
  inDays,
  now,
  person,
  reportFactsOf,
  roster,
  stackExport,
  subscriptionEnd,
  userIdOf,
} from "./organization.ts";

/** First name, last name, team, days until the token expires, days since the membership began. */
const staff: readonly (readonly [string, string, string, number, number])[] = [
  ["Ada", "Lovelace", "Platform", 4, 240],
  ["Grace", "Hopper", "Platform", 19, 240],
  ["Katherine", "Johnson", "Data", 19, 235],
  ["Dorothy", "Vaughan", "Data", 45, 230],
  ["Mary", "Jackson", "Data", 45, 228],
  ["Radia", "Perlman", "Network", 45, 200],
  ["Barbara", "Liskov", "Platform", 80, 190],
  ["Edsger", "Dijkstra", "Platform", 80, 150],
  ["Alan", "Turing", "Research", 150, 120],
  ["Emmy", "Noether", "Research", 150, 90],
  ["Sophie", "Wilson", "Network", 221, 60],
  ["Frances", "Allen", "Platform", 221, 12],
  ["Karen", "Jones", "Data", 221, 9],
  ["Hedy", "Lamarr", "Network", -2, 220],
];
const emailOf = (firstName: string) => `${firstName.toLowerCase()}@acme.example`;

const held: readonly HeldMember[] = [
  ...staff.map(
    ([firstName, lastName, , days, since], index): HeldMember => ({
      key: emailOf(firstName),
      names: [firstName, lastName],
      token: {
        validUntil: days === 221 ? subscriptionEnd : inDays(days),
        source: index % 3 === 2 ? "declared" : "service",
        ...(index === 8 && { rotateEvery: "90d", issuedAt: inDays(-80) }),
      },
      created: inDays(-since),
      adopted: firstName === "Karen",
    }),
  ),
  { key: "Linux builds", token: { validUntil: subscriptionEnd, source: "service" }, created: inDays(-240) },
  {
    key: "Nightly reports",
    token: { validUntil: subscriptionEnd, source: "service" },
    created: inDays(-100),
  },
  {
    key: "margaret@acme.example",
    names: ["Margaret", "Hamilton"],
    seat: false,
    token: null,
    created: inDays(-80),
  },
];
const listed = [
  ...staff
    .filter(([firstName]) => firstName !== "Hedy")
    .map(([firstName, lastName, team]) =>
      person(emailOf(firstName), {
        ...{ firstName, lastName, team },
        ...(firstName === "Emmy" && { accessUntil: inDays(9) }),
      }),
    ),
  person("Linux builds", { team: "Platform" }),
  person("Nightly reports", { team: "Data" }),
  person("margaret@acme.example", {
    firstName: "Margaret",
    lastName: "Hamilton",
    team: "Research",
    seat: false,
  }),
  person("joan@acme.example", { firstName: "Joan", lastName: "Clarke", team: "Research" }),
];
const lastSeen = new Map(
  staff.map(([firstName], index) => [
    emailOf(firstName),
    index % 6 === 5 ? null : inDays(index % 5 === 4 ? -52 : -1),
  ]),
);
const drift = {
  tokens: false,
  findings: [
    {
      ...{
        key: "alan@acme.example",
        who: "alan@acme.example",
        stack: "people",
        userId: userIdOf("alan@acme.example"),
      },
      ...{ kind: "seatRemoved" as const, before: null, now: null },
    },
  ],
  unmanaged: [{ userId: "admin", email: "admin@acme.example", role: "admin", seat: false, products: [] }],
};

export const sampleReport = buildReport(
  reportFactsOf(stackExport("people", held), roster(listed, { seats: 20 }), [], {
    ...{ now, lastSeen, drift },
    notes: ["2 people of an `Onboarding` have no user ID yet, so the report does not count them."],
  }),
  { month: "2026-11" },
);
