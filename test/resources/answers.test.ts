/**
 * Every write of a resource on both platforms, and each answer that a service or a gateway can give to it: the code of the
 * failure, what the state keeps, and how often the request is sent; for dynamic resources and for the plugin.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { type PlatformName, platformNames } from "../../provider/api/calls/platform.ts";
import { splitCode } from "../../provider/util/error-codes.ts";
import type { Received, Scripted } from "../provider/api/service.ts";
import { pluginProviders } from "../setup/plugin-providers.ts";
import { common, type Props, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { heldTokenWith, type Run, SERVER, token, writes } from "./writes.ts";

const refusal = (status: number, code = "NO", message = "no"): Scripted => {
  return { status, body: { error: { code, message } } };
};
const answers: Readonly<Record<string, Scripted>> = {
  ...{ 402: refusal(402), 403: refusal(403), 409: refusal(409), 422: refusal(422) },
  404: refusal(404, "USER_NOT_FOUND", "no such user"),
  429: { status: 429, headers: { "retry-after": "600" } },
  ...{ 503: { status: 503 }, 504: { status: 504 }, close: { fault: "close" }, half: { fault: "cut" } },
  303: { status: 303, headers: { location: "https://login.example/x" } },
  ...{ page404: { status: 404, body: "<html></html>" }, page: { body: "<html></html>" } },
  ...{ list: { body: "[]" }, object: { body: {} }, empty: {}, error: { body: { error: { message: "no" } } } },
};
const groups: Readonly<Record<string, string>> = {
  ...{ cut: "close half", busy: "503 504", odd: "list object empty" },
  lost: "303 503 504 close half page",
};

/**
 * The result of each answer: `x3`, sent so often; `again`, until the time of the operation ends; and what the state keeps.
 * A row begins with one that is named before it, and can go on in lines that are indented.
 */
const TABLE = `
any: 403 422 404 error refused; 429 rate-limited; page404 unknown-route
creation = any: 402 subscription-ended; lost odd outcome-unknown
looked for = any: 402 409 refused; 303 cut no-answer x3; 503 service-failed x3; 504 outcome-unknown;
  page odd bad-answer x3
deletion = any: 402 409 refused; 404 incomplete-list; 303 unknown-route; cut no-answer again;
  busy service-failed again; page bad-answer; odd ok
removal = any: 402 subscription-ended; 404 ok; 303 unknown-route; cut busy outcome-unknown again;
  page outcome-unknown; odd ok
renewal = removal: 404 422 token-gone; 409 refused
createAccount, both = looked for:
deleteAccount, both = deletion:
onboard, both = creation: 409 refused; lost odd outcome-unknown unknown
addUser, basic = creation: 409 user-exists; lost odd user-unknown
addUser, anaconda = looked for: 402 subscription-ended; 409 email-taken; 504 service-failed x3
addMachine, basic = creation: 409 user-exists; lost odd machine-user-unknown pending
addMachine, anaconda = looked for: 402 subscription-ended; 409 user-exists; 504 machine-user-unknown pending
assignSeat, basic = creation: 402 no-seats; 404 user-gone; 409 seat-exists; lost seat-unknown unconfirmed;
  odd ok held
assignSeat, anaconda = creation: 402 no-seats; 404 user-gone; 409 seat-exists;
  lost seat-unknown x3 unconfirmed; odd ok held
issueToken, basic = creation: 404 user-gone; 409 token-exists; lost odd outcome-unknown lost
issueToken, anaconda = looked for: 402 subscription-ended; 404 user-gone; 409 token-exists;
  504 outcome-unknown lost
renewToken, basic = renewal: list outcome-unknown; object empty ok
renewToken, anaconda = renewal: odd token-date
rotateToken, basic = issueToken, basic: 402 subscription-ended none; 403 422 error refused none;
  404 user-gone none; 409 token-exists none; 429 rate-limited none; page404 unknown-route none
rotateToken, anaconda = issueToken, anaconda: 504 outcome-unknown lost,kept
revokeToken, basic = removal: 409 refused
revokeToken, anaconda = removal: 409 refused; 404 incomplete-list
removeSeat, basic = removal: 409 token-left again
removeSeat, anaconda = removal: 409 token-left again; 404 incomplete-list
removeUser, basic = removal: 409 seat-or-token-left again
removeUser, anaconda = removal: 409 seat-or-token-left again; 404 incomplete-list
deleteServer, both = deletion: 409 not-ready
createServer, anaconda = looked for: odd ambiguous
createTable, basic = looked for: 409 cannot-adopt; 422 invalid-input; busy service-failed x3
createTable, anaconda = looked for: 409 cannot-adopt; 422 invalid-input; busy service-failed x3; object ok
deleteTable, anaconda = deletion: list bad-answer
revokeGone, anaconda = removal: 409 422 ok
removeSeatGone, anaconda = removal: 409 422 ok
removeUserGone, anaconda = removal: 409 422 ok
deleteAccountGone, both = deletion: 404 409 422 ok
`;
type Results = Readonly<Record<string, string>>;

/** The rows of writes by their names. */
function readTable(): ReadonlyMap<string, Results> {
  const rows = new Map<string, Results>();
  for (const line of TABLE.trim().replaceAll("\n  ", " ").split("\n")) {
    const [, name = "", base = "", text = ""] = /^(.*?)(?: = (.*?))?:(.*)$/.exec(line) ?? [];
    const own = text.split(";").flatMap((entry) => {
      const words = entry.trim().split(" ");
      const first = words.findIndex((word) => answers[word] === undefined && groups[word] === undefined);
      const named = words.slice(0, first).flatMap((word) => (groups[word] ?? word).split(" "));
      return named.map((answer) => [answer, words.slice(first).join(" ")] as const);
    });
    rows.set(name, { ...rows.get(base), ...Object.fromEntries(own) });
  }
  return rows;
}
const rows = [...readTable()].flatMap(([row, results]) => {
  const [write = "", platform] = row.split(", ");
  const names = platform === "both" ? platformNames : platformNames.filter((name) => name === platform);
  return names.map((name) => ({ write, platform: name, results }));
});

type Write = (run: Run) => Promise<unknown>;
function writesOn(platform: PlatformName): Readonly<Record<string, Write>> {
  const isListing = platform === "anaconda";
  const held = heldTokenWith(isListing ? { id: "t1" } : {});
  const table = { name: "docs", ...(isListing && { onDelete: "delete" }) };
  const recorded = { stateVersion: 1, instance: "i1", adopted: false, numRows: 1, actualSchema: null };
  const server = { serverConfig: { modelFileName: "a.gguf" }, running: false, onDelete: "delete" };
  return {
    ...writes,
    addMachine: ({ orgUser }) => orgUser.create({ ...common, purpose: "Builds" }),
    renewToken: (run) => run.token.update("u1", held, { ...token, subscriptionExpiresAt: "2028-06-30" }),
    rotateToken: (run) => run.token.update("u1", held, { ...token, rotation: "2" }),
    revokeToken: (run) => run.token.delete("u1", held),
    createTable: (run) => run.table.create(table),
    ...(isListing && {
      deleteTable: (run) => run.table.delete("docs", { ...table, ...recorded }),
      createServer: (run) => run.server.create(server),
      revokeGone: (run) => run.token.delete("u1", held),
      ...{ removeSeatGone: writes.removeSeat, removeUserGone: writes.removeUser },
    }),
    deleteAccountGone: writes.deleteAccount,
  };
}

/** What the lists show: before a creation nothing of it, otherwise all. */
function listed(url: string, write: string): Scripted {
  const isGone = write.endsWith("Gone");
  const isThere = /^(re|ro|delete)/.test(write) && !isGone;
  const some = <T>(...items: readonly T[]) => (isThere ? items : []);
  const admin = { id: "adm", email: "root@acme.example", role: "admin", subscriptions: ["seat"] };
  const user = { id: "u1", email: "eve@acme.example", role: "member", subscriptions: some("seat") };
  if (url.includes("/tables")) return { body: isThere ? ["docs"] : [] };
  if (url.includes("/servers")) return { body: { data: some({ id: SERVER, status: "RUNNING" }) } };
  if (url.endsWith("/tokens")) return { body: { items: some({ id: "t1", expires_at: SUBSCRIPTION_END }) } };
  if (url.includes("/users")) return { body: { items: isGone ? [admin] : [admin, user] } };
  return { body: { items: some({ name: "bot", client_id: "c1", org_id: "the-org" }) } };
}

interface Kept {
  readonly statuses?: Readonly<Record<string, string>>;
  readonly held?: {
    readonly pending?: object;
    readonly users: readonly {
      readonly seat: string;
      readonly tokens: readonly { readonly value: string }[];
    }[];
  };
}
/** What a state has, in one word. */
function shown({ statuses, held }: Kept): string[] {
  if (statuses) return Object.values(statuses);
  if (held?.pending) return ["pending"];
  const [user] = held?.users ?? [];
  if (user === undefined) return [];
  if (user.seat !== "left") return [user.seat];
  return [user.tokens.map(({ value }) => value).join() || "none"];
}

/** The result of a write as the table has it. A token that is kept is not shown. */
async function resultOf(write: string, platform: PlatformName, answer: Scripted, isPlugin: boolean) {
  const sent: Received[] = [];
  const run = await scripted(
    (request) => {
      if (request.method === "GET") return listed(request.url, write);
      if (write === "rotateToken" && request.method === "DELETE") return { status: 204 };
      sent.push(request);
      return answer;
    },
    { ORGSEAT_PLATFORM: platform, ORGSEAT_OPERATION_TIMEOUT: "5s" },
  );
  const work = writesOn(platform)[write];
  if (work === undefined) throw new Error(`there is no write ${write}`);
  const settled = await work(isPlugin ? { ...run, ...(await throughPlugin(run)) } : run).then(
    (made) => ({ code: "ok", state: (made as { outs?: Kept } | undefined)?.outs }),
    (error: Error & { properties?: Props }) => ({
      code: splitCode(error.message).code,
      state: error.properties as Kept | undefined,
    }),
  );
  const isAgain = sent.length > 1 && (sent[0]?.method !== "POST" || sent.length > 3);
  const times = isAgain ? ["again"] : sent.length > 1 ? [`x${sent.length}`] : [];
  const state = shown(settled.state ?? {}).filter((word) => word !== "kept");
  return [settled.code, ...times, ...state].join(" ");
}

async function throughPlugin({ process }: Run) {
  const { made, close } = await pluginProviders(process);
  onTestFinished(close);
  const { OrgUser: orgUser, SeatAssignment: seat, UserToken: tokens, Onboarding: onboarding } = made;
  const { ServiceAccount: serviceAccount, ModelServer: server, VectorTable: table } = made;
  return { orgUser, seat, token: tokens, onboarding, serviceAccount, server, table } as Partial<Run>;
}

describe("each answer to a write", () => {
  test("stands in the table", () => {
    for (const { write, results } of rows)
      expect(Object.keys(results).toSorted(), write).toEqual(Object.keys(answers).toSorted());
    for (const name of platformNames)
      expect(rows.flatMap(({ write, platform }) => (platform === name ? write : [])).toSorted()).toEqual(
        Object.keys(writesOn(name)).toSorted(),
      );
  });

  test.each(rows)("D32, D55: $write on $platform", async ({ write, platform, results }) => {
    const found = Object.entries(answers).map(async ([name, answer]) => {
      return [name, await resultOf(write, platform, answer, false)] as const;
    });
    expect(Object.fromEntries(await Promise.all(found))).toEqual(results);
  });

  test.each(rows)("gives the same result in the plugin: $write on $platform", async (row) => {
    for (const name of ["403", "close"])
      expect(await resultOf(row.write, row.platform, answers[name] ?? {}, true)).toBe(row.results[name]);
  });
});
