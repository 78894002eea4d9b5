/** `accessUntil` of an OrgMember, with Pulumi's mocks: what the program declares, and what it says. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OrgMember } from "../../sdk/index.ts";
import { run } from "./mocked.ts";

const DAY = 86_400_000;
const names: string[] = [];
const messages: string[] = [];

beforeEach(async () => {
  names.length = 0;
  messages.length = 0;
  await pulumi.runtime.setMocks({
    newResource: ({ type, name }) => {
      if (type.startsWith("pulumi-nodejs:")) names.push(name);
      return { id: `${name}-id`, state: {} };
    },
    call: () => ({}),
  });
  for (const severity of ["warn", "info"] as const) {
    vi.spyOn(pulumi.log, severity).mockImplementation(async (text) => {
      messages.push(`${severity}: ${text}`);
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs a program of one member. @returns the names of all resources so far */
async function declared(accessUntil: string | undefined): Promise<string[]> {
  await run(() => {
    const args = { email: "ada@acme.example", seat: true, token: {}, accessUntil } as const;
    const member = new OrgMember("ada", args);
    expect(member.userId === undefined).toBe(member.user === undefined);
  });
  return names;
}

function inDays(days: number): string {
  return new Date(Date.now() + days * DAY).toISOString();
}

test("accessUntil: without it, and long before it, the member is declared without a word", async () => {
  expect(await declared(undefined)).toEqual(["ada-user", "ada-seat", "ada-token"]);
  expect(await declared(inDays(15))).toHaveLength(6);
  expect(messages).toEqual([]);
});

test("accessUntil: from 14 days before, a warning says when the access ends", async () => {
  expect(await declared(inDays(13))).toEqual(["ada-user", "ada-seat", "ada-token"]);
  expect(messages).toEqual([
    expect.stringMatching(/^warn: OrgMember "ada": access ends on \d{4}-\S+ \(accessUntil\)\. The first run/),
  ]);
});

test("accessUntil: after it the component declares nothing, and says so", async () => {
  expect(await declared("2026-01-31")).toEqual([]);
  expect(messages).toEqual([
    'info: OrgMember "ada": access ended on 2026-01-31 (accessUntil), so the program declares no user, seat, or token.',
  ]);
});

test.each(["", "soon", "2026-02-30"])("accessUntil: %j fails the program", async (accessUntil) => {
  const failures = await run(() => {
    new OrgMember("ada", { email: "ada@acme.example", seat: true, accessUntil });
  });
  expect(failures.join()).toContain(
    'OrgMember "ada": accessUntil is not a valid date (expected a date such as 2027-06-30',
  );
  expect(names).toEqual([]);
});

test("accessUntil: only a member with an end can be without a user", async () => {
  const kept: unknown[] = [];
  await run(() => {
    const ada = new OrgMember("ada", { email: "ada@acme.example", seat: true });
    const bob = new OrgMember("bob", { email: "bob@acme.example", seat: true, accessUntil: inDays(99) });
    const id: pulumi.Output<string> = ada.userId;
    const perhaps: pulumi.Output<string> | undefined = bob.userId;
    // @ts-expect-error: the user of bob can be gone
    const certain: pulumi.Output<string> = bob.userId;
    kept.push(id, perhaps, certain);
  });
  expect(kept.map(pulumi.Output.isInstance)).toEqual([true, true, true]);
});
