/**
 * An organization over 13 months: each day has some happenings and ends with a run, after which the service has what the second
 * model says each person must have. A difference is allowed by its name alone.
 */

import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { readRoster } from "../../command/roster/read.ts";
import { newRoster } from "../../command/roster/write.ts";
import type { PlatformName, ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { Management } from "../../sandbox/service/management/management.ts";
import type { CompletedCall } from "../command/fixture.ts";
import { crowd, type NewPerson } from "../command/people.ts";
import { platforms } from "../provider/member/run.ts";
import { iso } from "../provider/member/second-view.ts";
import { type Calendar, type Day, type Edit, type Happening, LAST_DAY } from "./calendar.ts";
import { expectCalls, expectKnown, expectOwned } from "./checks.ts";
import type { MonthsCommand } from "./command.ts";
import { disturb, settle } from "./disturbances.ts";
import { anew, edit, isCommand, type Office } from "./edits.ts";
import { DAY, ExpectedOrganization } from "./model.ts";

const START = Date.parse("2026-08-20T10:00:00Z");

export class Months implements Office {
  readonly command: MonthsCommand;
  readonly fixture: Office["fixture"];
  readonly model: ExpectedOrganization;
  readonly former: NewPerson[] = [];
  readonly ownTokens = new Set<string>();
  readonly commands: Office["commands"] = [];
  /** How often what has happened, and which differences were allowed. */
  readonly counts = new Map<string, number>();
  roster: Office["roster"];
  held: Office["held"] = new Map();
  joined: number;
  now = START;
  isDirectory = false;
  /** Restores the state of an earlier day, with the number of the last request before it. */
  backups: { restore: () => void; requests: number; held: Office["held"] }[] = [];
  #renewals = 0;
  /** The users who have a token of their own on this day. */
  readonly #owners = new Set<string>();
  #requests = 0;
  /** Edits that nobody was there for: they happen on a later day. */
  readonly #waiting: Day["edits"][number][] = [];

  constructor(command: MonthsCommand, people: number) {
    this.command = command;
    this.fixture = command.fixture;
    this.joined = people;
    this.model = new ExpectedOrganization(platforms[this.platform]);
    this.roster = {
      organizationId: this.fixture.sandbox.organizationId,
      subscriptionExpiresAt: iso(START + 100 * DAY),
      people: crowd(people),
    };
  }

  get platform(): PlatformName {
    return this.fixture.sandbox.service.platform;
  }

  get management(): Management {
    return this.fixture.sandbox.service.management;
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  async live({ days }: Calendar): Promise<void> {
    for (const day of days) {
      try {
        await this.#live(day);
      } catch (error) {
        const what = [...day.edits, ...(day.disturbance ? [day.disturbance] : [])].map(({ kind }) => kind);
        throw new Error(`day ${day.day} of ${LAST_DAY}: ${what.join(", ")}`, { cause: error });
      }
    }
  }

  async #live({ day, edits, disturbance, isDirectory }: Day): Promise<void> {
    this.now = START + day * DAY;
    await this.command.setTime(this.now);
    if (isDirectory && !this.isDirectory) this.#startDirectory();
    await this.#chores();
    // Commands of their own wait for a day without a disturbance, in which no run comes before them.
    const isLater = ({ kind }: Happening<Edit>) => disturbance !== undefined && isCommand(kind);
    for (const one of [...this.#waiting.splice(0), ...edits])
      if (!isLater(one) && (await edit(this, one))) this.count(one.kind);
      else this.#waiting.push(one);
    this.write();
    this.#requests = (await this.management.requests(this.#requests)).at(-1)?.number ?? this.#requests;
    const before = await this.snapshot();
    this.#owners.clear();
    for (const { userId, tokenId } of before.tokens)
      if (this.ownTokens.has(tokenId)) this.#owners.add(userId);
    const isAway = disturbance?.kind === "service away for days";
    const touched = disturbance === undefined ? new Set<string>() : await disturb(this, disturbance);
    if (isAway) return expect(await this.snapshot()).toEqual(before);
    await this.#runCommands();
    const isAsked = await settle(this, touched);
    if (touched.size > 0) await this.revokeUnknown(touched);
    if (disturbance?.kind === "run killed")
      expect(await this.revokeUnknown()).toBeLessThanOrEqual(this.command.atOnce);
    await this.#check(before, isAsked || disturbance !== undefined, touched);
    this.backups.push({ restore: this.command.backup(), requests: this.#requests, held: this.held });
    if (this.backups.length > 5) this.backups.shift();
    this.count("days");
  }

  /** Renews what ends before the next run, and takes away dates that have passed. */
  async #chores(): Promise<void> {
    const end = Date.parse(this.roster.subscriptionExpiresAt ?? "");
    if (end - this.now < 45 * DAY || this.now === START) {
      const expiresAt = this.now === START ? iso(end) : iso(end + 120 * DAY);
      await this.management.changeSubscription(this.fixture.sandbox.organizationId, { expiresAt });
      this.roster = { ...this.roster, subscriptionExpiresAt: expiresAt };
      this.#renewals += 1;
      if (this.now > START) this.count("subscription renewed");
    }
    const people = this.roster.people.map((one) => {
      const { expires, window: _, ...rest } = one;
      return expires !== undefined && Date.parse(expires) <= this.now ? rest : one;
    });
    this.roster = { ...this.roster, people };
  }

  #startDirectory(): void {
    this.isDirectory = true;
    // A directory has no machine users: their rows name them.
    const people = this.roster.people.map((row) =>
      row.purpose === undefined ? anew(row) : { ...row, userId: this.held.get(row.key)?.id },
    );
    this.roster = {
      ...{ ...this.roster, membership: "directory" },
      people: people.filter(({ purpose, userId }) => purpose === undefined || userId !== undefined),
    };
    this.count("directory started");
  }

  async #runCommands(): Promise<void> {
    for (const { verb, key } of this.commands.splice(0)) {
      if (!this.roster.people.some((one) => one.key === key)) continue;
      if (verb === "rotate") {
        await this.rotate(key);
        continue;
      }
      const outcome = await this.command.offboard(key);
      expect(outcome, outcome.text).toMatchObject({ status: "succeeded" });
      await this.readBack();
      this.#drop(key);
    }
  }

  /** Replaces a token, unless `up` must come first, as the refusal says. */
  async rotate(key: string): Promise<void> {
    const outcome = await this.command.rotate(key);
    const { refusal } = outcome;
    if (refusal === "no-token" || refusal === "not-approved") this.count(`rotate refused: ${refusal}`);
    else {
      // The directory may have removed the person since the last run.
      const id = this.held.get(key)?.id;
      const isGone = id !== undefined && (await this.snapshot()).users.every(({ userId }) => userId !== id);
      const status = !isGone || !this.isDirectory ? "succeeded" : "failed";
      expect(outcome, outcome.text).toMatchObject({ status });
    }
    await this.readBack();
  }

  #drop(key: string): void {
    const { people } = this.roster;
    this.former.push(...people.filter((one) => one.key === key).map(anew));
    this.setRows(people.filter((one) => one.key !== key));
  }

  setRows(people: readonly NewPerson[]): void {
    this.roster = { ...this.roster, people };
    this.write();
  }

  write(): void {
    writeFileSync(this.command.file, newRoster(this.roster, "csv"));
  }

  /** The roster as the command has left it. */
  async readBack(): Promise<void> {
    this.roster = await readRoster(this.command.file);
  }

  /** Without the tokens that a list shows as revoked. */
  async snapshot(): Promise<ServiceSnapshot> {
    const found = await this.management.snapshot();
    return { ...found, tokens: found.tokens.filter(({ revoked }) => !revoked) };
  }

  /** @param touched the users whose tokens were replaced because their values were lost */
  async #check(before: ServiceSnapshot, isDisturbed: boolean, touched: ReadonlySet<string>): Promise<void> {
    const calls = this.#expect(before);
    let after = await this.snapshot();
    const ids = this.model.named(after);
    for (const { userId, tokens } of touched.size > 0 ? await this.command.tokens() : [])
      if (touched.has(userId)) this.model.take(userId, tokens);
    let isLoose = isDisturbed;
    // A token that is issued within its window is renewed by the next run.
    for (let more = this.#expect(after); more.length > 0; more = this.#expect(after)) {
      this.count("a second run was due");
      isLoose = (await settle(this, new Set())) || isLoose;
      calls.push(...more);
      after = await this.snapshot();
    }
    const names = after.users.map(({ email, firstName }) => email ?? firstName);
    expect(new Set(names).size, "nobody is there twice").toBe(names.length);
    expectOwned(this, after);
    const requests = await this.management.requests(this.#requests);
    this.#requests = requests.at(-1)?.number ?? this.#requests;
    this.count("requests", requests.length);
    for (const { call } of calls) this.count(`call ${call}`);
    if (!isLoose) this.count("own token revoked", expectCalls(calls, requests, ids, this.#owners));
    expectKnown(this, after, await this.command.tokens());
    expect(await this.command.hasChanges(), "a preview after the run").toBe("");
    this.held = this.model.held();
  }

  /** Nobody uses the token of a killed run, and the state of a backup cannot know all later ones: they are revoked by hand. */
  async revokeUnknown(userIds?: ReadonlySet<string>): Promise<number> {
    if (this.platform === "basic") return 0;
    let revoked = 0;
    const known = new Set((await this.command.tokens()).flatMap(({ tokens }) => tokens.map(({ id }) => id)));
    for (const { tokenId, userId } of (await this.snapshot()).tokens) {
      if (userIds?.has(userId) === false || known.has(tokenId) || this.ownTokens.has(tokenId)) continue;
      await this.management.changeToken(tokenId, { revoked: true });
      this.count("unknown token revoked by hand");
      revoked += 1;
    }
    return revoked;
  }

  /** What the model sends in a run. */
  #expect(service: ServiceSnapshot): CompletedCall[] {
    return this.model.run({
      ...{ now: this.now, rows: this.roster.people, end: this.roster.subscriptionExpiresAt ?? "" },
      ...{ renewals: this.#renewals, isDirectory: this.isDirectory, service },
    });
  }
}
