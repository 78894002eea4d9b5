/**
 * What holds after any fault inside a run: the next runs complete, after the steps that orgseat itself names; nobody is there
 * twice, nobody is lost, and the state has the value of each live token.
 */
import { createHash } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";
import { expect } from "vitest";
import { z } from "zod";
import type { Row, TestOrganization } from "../automation/organization.ts";
import { inTheClear, stateResources } from "../setup/state-file.ts";

/** What a run is to make of an organization. */
export interface Change {
  readonly before: readonly Row[];
  readonly after: readonly Row[];
  /** Of the roster. */
  readonly header: Readonly<Record<string, string | number>>;
}

export const [ada, grace, edsger, barbara] = ["ada", "grace", "edsger", "barbara"].map(
  (name) => `${name}@acme.example`,
) as [string, string, string, string];
export const builds = { key: "builds", purpose: "Nightly builds" };
const mac = { key: "mac", purpose: "Mac builds", seat: "no", token: "no" };

/** Grace leaves; Barbara gets the seat, in a later run of Pulumi; Ada gets a new token. */
export const everyWrite: Change = {
  before: [{ email: ada }, { email: grace }, builds, { email: edsger }],
  after: [{ email: ada }, builds, { email: edsger }, { email: barbara }, mac],
  header: { seats: 4, [`rotation of ${ada}`]: "2026-11-01T00:00:00Z" },
};

const runSchema = z.object({
  failure: z.object({ code: z.string(), text: z.string() }).nullish(),
  undecided: z.array(z.object({ key: z.string(), who: z.string() })).default([]),
  undecidedOverride: z.string().nullish(),
  results: z
    .array(z.object({ who: z.string(), code: z.string().nullish(), text: z.string().nullish() }))
    .default([]),
  /** Why it did not begin. */
  error: z.string().default(""),
});

/** Runs `up` until it succeeds, and does what it asks. @returns whom it asked about */
export async function untilDone(acme: TestOrganization, { after, header }: Change): Promise<string[]> {
  const asked: string[] = [];
  const told: string[] = [];
  const ids = new Map<string, string>();
  let approve: string[] = [];
  for (let runs = 0; runs < 5; runs++) {
    const run = await acme.json(runSchema, "up", "--yes", ...approve);
    if (run.code === 0) return asked;
    approve = [];
    told.push(JSON.stringify(run));
    const { undecided, undecidedOverride, results, failure, error } = run;
    heal(error);
    if (failure?.code === "stack-locked") await unlocked(acme);
    const { users } = await acme.sandbox.service.management.snapshot();
    const open = [...undecided, ...results.filter(({ code }) => code === "user-exists")];
    for (const { who } of open) {
      const user = users.find(({ email, firstName }) => who === (email ?? firstName));
      if (user !== undefined) ids.set(who, user.userId);
      if (!asked.includes(who)) asked.push(who);
    }
    if (open.some(({ who }) => ids.has(who)))
      acme.write(
        after.map((row) => ({ ...row, user_id: ids.get(row.email ?? row.purpose ?? "") ?? "" })),
        header,
      );
    else if (undecidedOverride) approve = ["--approve", undecidedOverride];
  }
  throw new Error(`no end:\n${told.join("\n")}`);
}

/** The step that an error names for a state that a kill or a full disk has damaged. */
export function heal(error: string): void {
  const [, removed = ""] = /remove it \(`rm ([^`]+)`\)/.exec(error) ?? [];
  for (const file of removed.split(" ").filter(Boolean)) rmSync(file);
  const [, backup, file] = /copy (\S+), the previous state, over ([^\s,]+)/.exec(error) ?? [];
  if (backup !== undefined && file !== undefined) copyFileSync(backup, file);
}

export async function unlocked(acme: TestOrganization): Promise<void> {
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
}

/** The tokens that are not revoked. */
export async function liveTokens({ sandbox }: TestOrganization) {
  return (await sandbox.service.management.snapshot()).tokens.filter(({ revoked }) => !revoked);
}

/** Their hashes, by email or purpose. */
export async function liveHashes(acme: TestOrganization): Promise<Map<string, string[]>> {
  const { users } = await acme.sandbox.service.management.snapshot();
  const tokens = await liveTokens(acme);
  return new Map(
    users.map(({ userId, email, firstName }) => [
      email ?? firstName ?? userId,
      tokens.filter((one) => one.userId === userId).map(({ hash }) => hash),
    ]),
  );
}

/** Each member is there once, with the seat and the token of the row, and the state has the value of each live token. */
export async function expectComplete(acme: TestOrganization, { after }: Change): Promise<void> {
  const { users } = await acme.sandbox.service.management.snapshot();
  expect(users.map(({ email, firstName }) => email ?? firstName).toSorted()).toEqual(
    after.map(({ email, purpose }) => email ?? purpose).toSorted(),
  );
  // One that a killed rotation left stays: a person may have issued it, and a warning names it.
  const said = acme.printed.join("\n");
  const live = (await liveTokens(acme)).filter(({ tokenId }) => !said.includes(`has ${tokenId} (expires`));
  for (const { userId, email, firstName, seat } of users) {
    const row = after.find((one) => (one.email ?? one.purpose) === (email ?? firstName));
    const own = live.filter((token) => token.userId === userId);
    expect(own, `tokens of ${email ?? firstName}`).toHaveLength(row?.token === "no" ? 0 : 1);
    expect(seat, `the seat of ${email ?? firstName}`).toBe(row?.seat !== "no");
  }
  const hashes = (await storedValues(acme)).map((value) => createHash("sha256").update(value).digest("hex"));
  expect(hashes.toSorted()).toEqual(live.map(({ hash }) => hash).toSorted());
  const refresh = acme.sandbox.service.platform === "anaconda" ? ["--refresh"] : [];
  const { code, stdout } = await acme.orgseat("preview", "--exit-code", ...refresh);
  expect(code, stdout).toBe(0);
}

/** The values of tokens that the state has. */
async function storedValues(acme: TestOrganization): Promise<string[]> {
  const file = acme.stateFile;
  const { PULUMI_CONFIG_PASSPHRASE: passphrase = "" } = acme.variables();
  const values = await Promise.all(
    stateResources(file).map(({ outputs }) => inTheClear(file, passphrase, outputs?.tokenValue)),
  );
  return values.filter((value) => typeof value === "string");
}
