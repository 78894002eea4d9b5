/** Rotations of service accounts that are killed: the state always has an account that works, and warnings name what is left over. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectResource } from "../setup/direct.ts";
import { type Accounts, accountsOf, bot, credentialsIn, HOUR } from "./accounts.ts";
import { cutOff } from "./listed.ts";

/**
 * Where a run is killed: before the service gets a write or after it has done it; after a response and before the state
 * is written (`answered`); after the state is written and before the old account is deleted (`written`).
 */
interface Kill {
  readonly write: number;
  readonly place: "before" | "after" | "answered" | "written";
}

const kill: fc.Arbitrary<Kill> = fc.record({
  write: fc.integer({ min: 1, max: 4 }),
  place: fc.constantFrom("before", "after", "answered", "written"),
});

const history = fc.record({
  /** Undefined: a replaced account is deleted at the end of its run. */
  keepHours: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  hasSameName: fc.boolean(),
  runs: fc.array(
    fc.record({ hours: fc.integer({ min: 0, max: 40 }), kill: fc.option(kill, { freq: 2, nil: undefined }) }),
    { minLength: 1, maxLength: 8 },
  ),
});

async function killedRun(
  accounts: Accounts,
  program: readonly DirectResource[],
  proxy: CutoffProxy,
  { write, place }: Kill,
): Promise<void> {
  const { stack } = accounts;
  if (place === "answered" || place === "written") {
    const run = stack.copy();
    const stopping = new AbortController();
    const last = place === "answered" ? 1 : Math.min(write, 2);
    let changes = 0;
    // The change that has begun is made and in the state; nothing after it is.
    const hear = (_: string, state: string, replaced?: string): void => {
      if (state === "started" && replaced === undefined && ++changes === last) stopping.abort();
    };
    expect((await run.run(program, { signal: stopping.signal, hear })).errors).toEqual([]);
    if (place === "written") accounts.stack = run;
    return;
  }
  accounts.stack = await cutOff(stack, program, proxy, { write, place });
}

test("a rotation killed at any point: the state has a working account, and warnings name what interrupted runs left", async () => {
  const accounts = await accountsOf({ PULUMI_STACK: "people" });
  const proxy = await CutoffProxy.to(accounts.organization.service.orgUrl);
  const first = accounts.stack;
  const suite = { name: "killed rotations of accounts", level: "R", cases: 1000, quick: 20 } as const;
  await checkCases(suite, history, async ({ keepHours, hasSameName, runs }) => {
    accounts.stack = first.copy();
    const names = ["bot", hasSameName ? "bot" : "other"];
    const args = { rotateEvery: "1d", ...(keepHours && { keepPreviousFor: `${keepHours}h` }) };
    const program = names.flatMap((name, index) => bot({ name, ...args }, `bot${index}`));
    await accounts.up(program);
    const expectWorking = async (): Promise<void> => {
      for (const { outs } of accounts.stack.state.values())
        expect(await accounts.works(credentialsIn(outs))).toBe(true);
    };
    for (const { hours, kill } of runs) {
      accounts.now += hours * HOUR;
      if (kill) await killedRun(accounts, program, proxy, kill);
      else await accounts.up(program);
      expect(accounts.stack.state.size).toBe(2);
      await expectWorking();
    }
    // Without the rule, which would rotate again before the last overlap ends.
    const settled = names.flatMap((name, index) =>
      bot({ name, ...args, rotateEvery: undefined, rotation: "last" }, `bot${index}`),
    );
    const messages = (await accounts.up(settled)).join("\n");
    accounts.now += 61 * HOUR;
    await accounts.up(settled);
    await expectWorking();
    const own = new Set([...accounts.stack.state.values()].map(({ id }) => id));
    const left = (await accounts.ids()).difference(own);
    for (const id of left) {
      expect(messages).toContain(id);
      await accounts.deleteByHand(id);
    }
    expect(await accounts.ids()).toEqual(own);
    expect(await accounts.stack.preview(settled)).toEqual([]);
    await accounts.destroy();
    expect(await accounts.ids()).toEqual(new Set());
  });
});
