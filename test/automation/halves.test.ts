/** Replacements of which one half was done and the other failed: each half is told of whom it is about. */
import { expect, test } from "vitest";
import { tokenOf } from "../../sdk/automation/token.ts";
import type { UpResult } from "../../sdk/automation/up.ts";
import { upAll } from "../../sdk/automation/up-all.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineGround } from "./ground.ts";

const key = "ada";
const ada = { key, email: "ada@acme.example", seat: true, token: true, protected: false };
/** The fault that a call meets, so many times. */
const failing = (call: number, times: number | "always") => ({
  match: { call },
  times,
  fault: { kind: "refuse", status: 403 } as const,
});

onEachEngine("half a replacement", (engine) => {
  test("a token that was revoked and not issued anew: until it is, it has no value", async () => {
    const ground = await engineGround(engine, 10);
    await ground.bring({ organizationId: ground.organizationId, stacks: 1, people: [ada] });
    const { management } = ground.sandbox.service;
    await management.addFaults(failing(7, 2));

    const rotation = "2026-11-21T12:00:00Z";
    const people = [{ ...ada, rotation }];
    const rotated = () => ground.open({ organizationId: ground.organizationId, stacks: 1, people });
    const failed = await upAll(await rotated(), {});
    expect(verdictsIn(failed)).toEqual([["ada@acme.example", "failed"]]);
    await expect(tokenOf(await rotated(), key)).rejects.toThrow(
      "the token of ada@acme.example was revoked and not issued anew: run `orgseat up`",
    );
  });
});

function verdictsIn({ applied }: UpResult): unknown[] {
  return (applied?.verdicts ?? []).map(({ who, verdict }) => [who, verdict]);
}
