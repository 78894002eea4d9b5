/**
 * How the service answers each read, compared with the interface: paths and types, never a value, so that anyone may see it.
 */
import type { Call } from "../../provider/api/calls/call.ts";
import { platforms } from "../../provider/api/calls/platform.ts";
import { deepest, kindOf } from "../../provider/api/schemas/forgiving.ts";
import { partOfList } from "../../provider/api/schemas/whole-list.ts";
import { parseJson, propertyOf } from "../../provider/util/json.ts";
import type { Facts } from "./facts.ts";
import { type Finding, ok, unchecked } from "./report.ts";
import type { Answer } from "./service.ts";

type Read = Pick<Call<string, unknown, unknown>, "method" | "path" | "answer" | "body">;

export function checkReads({ settings, accounts, users, tokens, servers, tables, health }: Facts): Finding[] {
  const { calls } = platforms[settings.platform ?? "basic"];
  const reads: readonly (readonly [call: Read | undefined, answer: Answer<unknown> | undefined])[] = [
    [calls.listServiceAccounts, accounts],
    [calls.listUsers, users],
    [calls.listTokens, tokens],
    [calls.listServers, servers],
    [calls.listTables, tables],
    ...health.map(({ call, answer }) => [call, answer] as const),
  ];
  return reads.flatMap(([call, answer]) => (call === undefined ? [] : checkRead(call, answer)));
}

function checkRead(call: Read, found: Answer<unknown> | undefined): Finding {
  const name = `${call.method} ${call.path}`;
  const { response, error } = found ?? {};
  if (response === undefined)
    return unchecked(`${name}: ${found ? `no answer (${error?.code})` : "not sent"}`);
  const { status, text } = response;
  const differences =
    Math.floor(status / 100) === 2 ? differencesIn(call, text, found?.value) : [`HTTP ${status}`];
  if (differences.length === 0) return ok(`${name}: as described`);
  const what = `${name}: not as described: ${differences.join("; ")}`;
  return { status: "failed", text: what, code: null, next: null, blocks: false };
}

/** @param value what the client reads of the answer */
function differencesIn({ answer, body: isNeeded }: Read, text: string, value: unknown): string[] {
  if (isNeeded === "none" || (isNeeded === "optional" && text.trim() === "")) return [];
  const body = parseJson(text);
  if (body === undefined) return ["expected JSON"];
  const issues = (answer.safeParse(body).error?.issues ?? []).map((one) => deepest([one]));
  const found = issues.map(({ path, issue }) => {
    const expected = issue.code === "invalid_type" ? `expected ${issue.expected}` : "unexpected form";
    return `${shown(path)}: ${expected}, got ${kindOf(path.reduce<unknown>(propertyOf, body))}`;
  });
  const part = partOfList(body) === undefined ? [] : ["the list is not whole"];
  const named = new Set(issues.flatMap(({ path }) => path.map(String)));
  return [...new Set([...found, ...part, ...unknownFields(body, value, named)])];
}

/** The fields of items that the interface does not have. @param named those that another difference names */
function unknownFields(body: unknown, value: unknown, named: ReadonlySet<string>): string[] {
  return ["items", "data"].flatMap((place) => {
    const [all, read] = [propertyOf(body, place), propertyOf(value, place)].map(namesIn);
    const names = read?.size ? (all?.difference(read).difference(named) ?? []) : [];
    return [...names].map((name) => `${shown([place, 0, name])}: unknown field`);
  });
}

function namesIn(items: unknown): Set<string> {
  return new Set(Array.isArray(items) ? items.flatMap((item: unknown) => Object.keys(Object(item))) : []);
}

/** A name in another form can be a value, such as an address. */
const NAME = /^[A-Za-z_]{1,30}$/;

function shown(path: readonly PropertyKey[]): string {
  const names = path.map((key) => (typeof key === "number" ? "[]" : (NAME.exec(String(key))?.[0] ?? "…")));
  return names.join(".").replaceAll(".[]", "[]") || "the whole response";
}
