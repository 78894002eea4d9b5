// @module-tag ci
/** Sealed tokens: whatever is stored, printed or in the engine's memory has ciphertext only, whoever has the passphrase. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, test, vi } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkEach } from "../setup/cases.ts";
import { type Copy, prepareCopies } from "../setup/copies.ts";
import { hangMs } from "../setup/limits.ts";
import { findSecrets, marked } from "../setup/secrets.ts";
import type { Declared } from "../setup/stack.ts";
import { isCall, loud, secretsOnWire, secretsShown } from "./scenario.ts";

const people = (token: Record<string, unknown>): Declared[] =>
  ["ada", "grace"].map((name) => ({
    type: "OrgMember",
    name,
    args: { email: `${name}@acme.example`, seat: true, token },
  }));

const cases = platformNames.flatMap((platform) => [true, false].map((isSealed) => ({ platform, isSealed })));

describe("sealed tokens", () => {
  const suite = { name: "sealed tokens", level: "E", cases: cases.length } as const;

  test("stand in no file, no output and no memory of the engine; the same search finds a plain token", async () => {
    const copies = {
      basic: await prepareCopies([], "basic"),
      anaconda: await prepareCopies([], "anaconda"),
    };
    await checkEach(suite, cases, async ({ platform, isSealed }) => {
      const copy = await copies[platform](false);
      const { stack, proxy, organization } = copy;
      const identity = await generateX25519Identity();
      const token = isSealed ? { recipients: [await identityToRecipient(identity)] } : {};
      stack.environment.ORGSEAT_AUDIT_LOG = `${stack.folder}/audit.jsonl`;
      stack.environment.ORGSEAT_RUN_REPORT = `${stack.folder}/run-report.jsonl`;
      stack.declare(people(token));
      const isInMemory = await upWatched(copy);
      expect(isInMemory).toBe(!isSealed);
      await stack.preview(...loud(stack));
      await stack.preview("--json");
      await stack.refresh(...loud(stack));
      const { output } = await stack.pulumi("stack", "export", "--show-secrets");
      expect(secretsShown(output)).toEqual(isSealed ? [] : ["minted"]);
      expect(secretsOnWire(proxy)).toContain("minted");
      if (!isSealed) return;

      for (const { outputs } of stack.resources().filter(({ outputs }) => outputs?.sealedValue)) {
        const decrypter = new Decrypter();
        decrypter.addIdentity(identity);
        const value = await decrypter.decrypt(armor.decode(String(outputs?.sealedValue)), "text");
        expect(secretsShown(value)).toEqual(["minted"]);
        expect(await organization.service.management.probe(value)).toMatchObject({ live: true });
      }
      const texts = Object.fromEntries([...stack.printed, output].map((text, at) => [`output ${at}`, text]));
      // Also in the debug events, where Pulumi's library writes each property as it is.
      expect(findSecrets(values, { texts, folders: [stack.folder] })).toEqual([]);
    });
  });
});

/** As the service makes it, and reversed. */
const values = [marked.minted, [...marked.minted].reverse().join("")].map((value) => ({
  name: "minted",
  value,
}));
const SEALED = Buffer.from("-----BEGIN AGE ENCRYPTED FILE-----");
const MARK = marked.minted.replaceAll(/[^A-Z0-9]/g, "");
const PLAIN = [Buffer.from(MARK), Buffer.from(MARK, "utf16le"), Buffer.from([...MARK].reverse().join(""))];

/** @returns whether the engine's memory has a token's value, once it has the outputs of the first of two tokens */
async function upWatched({ stack, proxy }: Copy): Promise<boolean> {
  let issued = 0;
  const isSecond = proxy.hold("answer", (passed) => isCall(passed, "POST", "/token") && ++issued === 2);
  const engine = stack.start("up", "--yes", "--skip-preview", ...loud(stack));
  const held = await Promise.race([isSecond, engine.ended]);
  if (!("deliver" in held)) throw new Error(held.output);
  await vi.waitUntil(() => memoryHas(engine.pid, [SEALED, ...PLAIN]), { timeout: hangMs, interval: 50 });
  const found = memoryHas(engine.pid, PLAIN);
  held.deliver();
  expect(await engine.ended).toMatchObject({ code: 0 });
  return found;
}

/** Reads all that a process of this user can write to. */
function memoryHas(pid: number, needles: readonly Buffer[]): boolean {
  const maps = readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm);
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    return [...maps].some(([, from = "", to = ""]) => {
      const content = readRegion(memory, Number.parseInt(from, 16), Number.parseInt(to, 16));
      return needles.some((needle) => content.includes(needle));
    });
  } finally {
    closeSync(memory);
  }
}

/** Up to where the region is gone: the process goes on meanwhile. */
function readRegion(memory: number, start: number, end: number): Buffer {
  const content = Buffer.alloc(end - start);
  let size = 0;
  try {
    while (size < content.length) {
      const read = readSync(memory, content, size, content.length - size, start + size);
      if (read === 0) break;
      size += read;
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "EIO" || error.code === "EFAULT")))
      throw error;
  }
  return content.subarray(0, size);
}
