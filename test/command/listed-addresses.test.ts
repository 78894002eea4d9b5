/** Addresses as a service lists them: in another form of accents, and with characters that no one sees. */
import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { directFixture, Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const jorg = person("jorg", { email: "j\u00f6rg@acme.example" });
const DECOMPOSED = "JO\u0308RG@acme.example";
const UNSEEN = "a\u200bda@acme.example";
const bob = person("bob");

async function listed(): Promise<Fixture> {
  const { sandbox, ...parts } = await directFixture(10, "anaconda");
  return new Fixture(sandbox, parts);
}

async function emails({ sandbox }: Fixture): Promise<(string | null)[]> {
  const { users } = await sandbox.service.management.snapshot();
  return users.map(({ email }) => email).filter((email) => !email?.startsWith("admin"));
}

describe("an address that the service lists decomposed", () => {
  test("means the person in the roster", async () => {
    const acme = await listed();
    const id = (await acme.bring([jorg])).get("jorg") ?? "";
    await acme.sandbox.service.management.changeUser(id, { email: DECOMPOSED });
    const { plan, drift } = await acme.preview([jorg], { refresh: true });
    expect([plan.hasChanges, drift.members?.findings, drift.members?.unmanaged]).toEqual([
      false,
      [],
      [expect.objectContaining({ role: "admin" })],
    ]);
    expect((await acme.up(undefined, { refresh: true })).status).toBe("succeeded");
    expect(await emails(acme)).toEqual([DECOMPOSED]);
    const left = await offboardPeople(await acme.open(), [DECOMPOSED], {});
    expect(left.status).toBe("succeeded");
    expect(await emails(acme)).toEqual([]);
  });

  test("lets the row that has it adopt the member", async () => {
    const acme = await listed();
    const id = await acme.makeMember({ ...jorg, token: false });
    await acme.sandbox.service.management.changeUser(id, { email: DECOMPOSED });
    const { status } = await adoptAll(await acme.open([{ ...jorg, token: false }]), { onDelete: "delete" });
    expect(status).toBe("succeeded");
    expect(acme.text()).toMatch(new RegExp(`^jorg,j\u00f6rg@acme\\.example,.*${id}`, "m"));
    await expect(acme.makeMember({ ...jorg, key: "other" })).rejects.toThrow(
      "is a member of the organization",
    );
  });
});

describe("an address with an invisible character in the service", () => {
  test("concerns its own member alone: the others are adopted, and an error names it", async () => {
    const acme = await listed();
    const id = await acme.makeMember({ ...person("ada"), token: false });
    await acme.sandbox.service.management.changeUser(id, { email: UNSEEN });
    await acme.makeMember({ ...bob, token: false });
    const { status, notes } = await adoptAll(await acme.open([]), { onDelete: "delete" });
    expect(status).toBe("succeeded");
    expect(acme.text()).toContain("bob@acme.example");
    expect(notes).toContainEqual({
      who: UNSEEN,
      text: "not adopted: not an email address: U+200B in column 2 is an invisible character. Type the address again. A roster cannot hold this address; correct it in the service",
    });
  });

  test("keeps no managed person from being compared, and from leaving", async () => {
    const acme = await listed();
    const ids = await acme.bring([person("ada"), bob]);
    await acme.sandbox.service.management.changeUser(ids.get("ada") ?? "", { email: UNSEEN });
    const { plan, drift } = await acme.preview([person("ada"), bob], { refresh: true });
    expect(plan.hasChanges).toBe(false);
    expect(JSON.stringify(drift.members?.findings)).toContain(UNSEEN);
    expect((await offboardPeople(await acme.open(), ["ada"], {})).status).toBe("succeeded");
    expect(await emails(acme)).toEqual(["bob@acme.example"]);
  });

  test("keeps no person who came back from leaving again", async () => {
    const acme = await listed();
    await acme.bring([person("ada"), bob]);
    expect((await offboardPeople(await acme.open(), ["ada"], {})).status).toBe("succeeded");
    const id = await acme.makeMember({ ...person("ada"), token: false });
    await acme.sandbox.service.management.changeUser(id, { email: UNSEEN });
    const file = acme.file.replace(/\.csv$/, ".offboarded.csv");
    appendFileSync(file, `ada,,${id},2026-11-22T00:00:00Z,,\n`);
    expect(readFileSync(file, "utf8")).toMatch(/^key,email,user_id,left_at/);
    const left = await offboardPeople(await acme.open([bob]), [id], {});
    expect([left.status, left.unknown]).toEqual(["succeeded", []]);
    expect(await emails(acme)).toEqual(["bob@acme.example"]);
  });
});
