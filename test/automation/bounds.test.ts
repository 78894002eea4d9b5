// @module-tag ci
import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import { peopleRows, testOrganization } from "./organization.ts";

const PEOPLE = 60;
const STACKS = 2;

describe("requests", () => {
  test("60 people in two stacks: three writes each to join, one token request a stack and one before the question, and no list", async () => {
    const acme = await testOrganization({ seats: PEOPLE });
    acme.write(peopleRows(PEOPLE), { stacks: STACKS });
    expect(await acme.orgseat("up", "--yes", "--quiet")).toMatchObject({ code: 0, stderr: "" });
    const tokens = STACKS + 1;
    expect(countsOf(await acme.sandbox.requests())).toEqual({ writes: PEOPLE * 3, tokens, lists: 0 });
    acme.expectNoSecrets();
  });
});

function countsOf(requests: readonly LoggedRequest[]) {
  const count = (fits: (request: LoggedRequest) => boolean): number => requests.filter(fits).length;
  return {
    writes: count(({ call, method }) => call !== "token" && method !== "GET"),
    tokens: count(({ call }) => call === "token"),
    lists: count(({ method }) => method === "GET"),
  };
}
