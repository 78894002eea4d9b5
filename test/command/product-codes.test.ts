/** An organization whose members have several products: nothing takes another product's code for a seat. */
import { describe, expect, test } from "vitest";
import { personToText } from "../../command/report/texts/person.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { showPerson } from "../../command/verbs/people.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { environmentName } from "../../provider/config/setting-values.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, bob, eve] = [person("ada"), person("bob", { token: false }), person("eve")];
const QUESTION =
  "the list of users has several product codes, and orgseat cannot tell which one is the seat: commercial (2 users), analytics (1 user)";
const SET = "Set orgseat:product (ORGSEAT_PRODUCT) to the code of the seat";
const product = { environment: { [environmentName("product")]: "commercial" } };

/** Ada has a seat; Bob's seat was removed in the service, and he has another product; Eve, whom no one manages, has a seat. */
async function organizationOf() {
  const { fixture, idOf } = await broughtFixture([ada, bob], {}, "anaconda");
  await fixture.makeMember(eve);
  await fixture.sandbox.service.management.setOddItems({
    call: 17,
    id: idOf("bob"),
    item: { subscriptions: ["analytics"] },
  });
  await fixture.sandbox.requests();
  return fixture;
}

describe("several product codes", () => {
  test("make no seat a drift in a preview, which asks for the product", async () => {
    const fixture = await organizationOf();
    const preview = await fixture.preview(undefined, { refresh: true });
    expect(preview.plan.hasChanges).toBe(false);
    expect(preview.drift.members?.findings).toEqual([]);
    expect(preview.drift.members?.unmanaged).toMatchObject([
      { seat: false, products: [] },
      { email: "eve@acme.example", seat: null, products: ["commercial"] },
    ]);
    expect(preview.warnings.map(({ text }) => text)).toEqual([
      `${QUESTION}. The seat of a user with only some of these codes counts as unknown. ${SET}.`,
    ]);
  });

  test("decide by the product once it is set", async () => {
    const fixture = await organizationOf();
    const { drift } = await reportOf(await fixture.reopen(product), {});
    expect(drift?.findings).toMatchObject([{ who: "bob@acme.example", kind: "seatRemoved" }]);
    expect(drift?.unmanaged).toMatchObject([
      { seat: false },
      { email: "eve@acme.example", seat: true, products: ["commercial"] },
    ]);
  });

  test("stop an adoption, which writes nothing", async () => {
    const fixture = await organizationOf();
    const before = fixture.text();
    await expect(adoptAll(await fixture.open(), {})).rejects.toThrow(
      `cannot adopt the members: ${QUESTION}. No changes were made. ${SET}, then run the command again`,
    );
    expect(fixture.text()).toBe(before);
    await fixture.sandbox.service.management.setOddItems();
    const { status } = await adoptAll(await fixture.open(), {});
    expect(status).toBe("succeeded");
    const { roster } = await fixture.open();
    expect(roster.people.find(({ email }) => email === eve.email)).toMatchObject({ seat: true });
  });

  test("appear in the report, and in the text about a person", async () => {
    const fixture = await organizationOf();
    const { people, notes } = await reportOf(await fixture.open(), {});
    expect(Object.fromEntries(people.map(({ who, products }) => [who, products]))).toEqual({
      "ada@acme.example": ["commercial"],
      "bob@acme.example": ["analytics"],
    });
    expect(notes).toEqual([expect.stringContaining(QUESTION)]);
    const shown = await showPerson(await fixture.open(), "bob@acme.example");
    expect(personToText(shown, 20)).toMatch(/^ +Products: analytics$/m);
  });

  test("cost the text about a person nothing if the service does not answer", async () => {
    const fixture = await organizationOf();
    await fixture.refuse(17, 500);
    const shown = await showPerson(await fixture.open(), "bob@acme.example");
    expect(shown.person).toMatchObject({ email: "bob@acme.example", products: null });
    expect(personToText(shown, 20)).not.toContain("Products");
  });
});
