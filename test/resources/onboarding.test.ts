import { describe, expect, test } from "vitest";
import type { Scripted } from "../provider/api/service.ts";
import { organizationOn } from "./listed.ts";
import { common, failure, inTurn, ORGANIZATION, type Props, scripted } from "./scripted.ts";

const ADA = "ada@acme.example";
const GRACE = "grace@acme.example";
const HEDY = "hedy@acme.example";
const EVE = "eve@acme.example";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const inputs = (...emails: string[]): Props => ({ ...common, emails });
const state = (statuses: Record<string, string>, more: Props = {}): Props => ({
  ...inputs(...Object.keys(statuses)),
  stateVersion: 1,
  statuses,
  formerStatuses: {},
  possibleMembers: [],
  totalSeats: 5,
  availableSeats: 3,
  ...more,
});

/** An answer of call 4. */
const answer = (inProcess: string[], unavailable: string[] = [], seats: unknown[] = [5, 3]): Scripted => ({
  body: {
    users_in_onboarding_process: inProcess,
    users_unavailable_for_onboarding: unavailable,
    total_organization_seats: seats[0],
    available_organization_seats: seats[1],
  },
});

type Run = Awaited<ReturnType<typeof scripted>>;

/** The emails of each call 4 so far. */
const sent = ({ service }: Run): unknown[] => service.calls.map(({ body }) => JSON.parse(body).user_emails);
const told = ({ messages }: Run, severity: string): string =>
  messages
    .filter((message) => message.severity === severity)
    .map(({ text }) => text)
    .join("\n");

describe("the emails of an Onboarding", () => {
  test("fail their check by position, all at once, if they are none", async () => {
    const run = await scripted(() => ({}));
    const { failures } = await run.onboarding.check({}, inputs(ADA, "nobody", GRACE, "@acme.example"));
    expect(failures).toEqual([
      { property: "emails[1]", reason: "not an email address [invalid-input]" },
      { property: "emails[3]", reason: "not an email address [invalid-input]" },
    ]);
    expect(run.messages).toEqual([]);
  });

  test.each([
    ["emails", { emails: ADA }, "expected a list, got a string"],
    ["emails", {}, "missing (expected a list)"],
    ["resend", { emails: [], resend: {} }, "expected a value of a different type"],
  ])("make a list, and `resend` is a text or a number: %s", async (property, news, reason) => {
    const run = await scripted(() => ({}));
    const { failures } = await run.onboarding.check({}, { ...common, ...news });
    expect(failures).toMatchObject([{ property, reason: expect.stringContaining(reason) }]);
  });
});

describe("the preview of an Onboarding", () => {
  test("says of a creation how many mails go out: to the admins, welcome, token", async () => {
    const run = await scripted(() => ({}));
    await run.onboarding.check({}, inputs(ADA, GRACE, "ADA@acme.example"));
    expect(told(run, "info")).toBe(
      `Onboarding of organization ${ORGANIZATION}: onboard 2 people: ${ADA}, ${GRACE}. If the service accepts all of them, it sends 2 welcome emails, 2 token emails, and one email to each administrator.`,
    );
    expect(run.sent()).toEqual([]);
  });

  test.each([
    [
      "the new emails",
      state({ [ADA]: "inProcess", [GRACE]: "unavailable" }),
      inputs(ADA, GRACE, HEDY),
      `1 person: ${HEDY}.`,
    ],
    [
      "a new `resend`, of those who are not in process",
      state({ [ADA]: "inProcess", [GRACE]: "unavailable", [HEDY]: "refused", [EVE]: "unknown" }),
      { ...inputs(ADA, GRACE, HEDY, EVE), resend: "1" },
      `3 people: ${GRACE}, ${HEDY}, ${EVE}.`,
    ],
  ])("says how many mails an update sends: %s", async (_, olds, news, who) => {
    const run = await scripted(() => ({}));
    await run.onboarding.check(olds, news);
    expect(await run.onboarding.diff("o1", olds, news)).toMatchObject({ changes: true, replaces: [] });
    expect(told(run, "info")).toContain(`onboard ${who} If the service accepts all of them, it sends `);
    expect(told(run, "warning")).toBe("");
  });

  test.each([
    [
      "an update for other credentials",
      { ...inputs(GRACE, HEDY), credentials: { clientId: "i", clientSecret: "s" } },
    ],
    ["emails that leave the list and never came in", inputs()],
  ])("says nothing of %s", async (_, news) => {
    const run = await scripted(() => ({}));
    const olds = state({ [GRACE]: "unavailable", [HEDY]: "refused" });
    await run.onboarding.diff("o1", olds, news);
    await run.onboarding.delete("o1", olds);
    expect([run.sent(), run.messages]).toEqual([[], []]);
  });

  test("names ten thousand people by twenty and their number", async () => {
    const run = await scripted(() => ({}));
    await run.onboarding.check(
      {},
      inputs(...Array.from({ length: 10_000 }, (_, index) => `p${index}@acme.example`)),
    );
    expect(told(run, "info")).toContain("onboard 10,000 people: p0@acme.example,");
    expect(told(run, "info")).toContain("p19@acme.example, and 9,980 more.");
  });

  test("shows no change for another order or other letter case", async () => {
    const run = await scripted(() => ({}));
    const olds = state({ [ADA]: "inProcess", [GRACE]: "unavailable" });
    const { inputs: news = {} } = await run.onboarding.check(olds, inputs(GRACE.toUpperCase(), ADA, GRACE));
    expect(await run.onboarding.diff("o1", olds, { ...news, ...common })).toMatchObject({ changes: false });
    expect(run.messages).toEqual([]);
  });

  test("warns of an accepted email that leaves the list, with the way to remove the person", async () => {
    const run = await scripted(() => ({}));
    const olds = state({ [ADA]: "inProcess", [GRACE]: "unavailable", [HEDY]: "refused", [EVE]: "unknown" });
    expect(await run.onboarding.diff("o1", olds, inputs())).toMatchObject({ changes: true, replaces: [] });
    expect(told(run, "warning")).toBe(
      `Onboarding of organization ${ORGANIZATION}: removed from the list: ${ADA}; possibly (response lost): ${EVE}. Onboarded people stay members, and keep their seats and tokens. orgseat does not undo an onboarding. To remove a person, declare \`new OrgMember("<name>", { email: "<email>", adopt: "<user id>", onDelete: "delete", seat: { onDelete: "delete" }, token: { replaceExisting: true } })\` and run \`pulumi up\`, which revokes the emailed token. Then remove that line and run \`pulumi up\` again. Or remove the person in the service.`,
    );
  });

  test("names in the way to remove a person what the configuration does not say", async () => {
    const run = await scripted(() => ({}), { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "" });
    const olds = state({ [ADA]: "inProcess" }, { organizationId: "other" });
    await run.onboarding.diff("o1", olds, { ...inputs(), organizationId: "other" });
    expect(told(run, "warning")).toContain('new OrgMember("<name>", { organizationId: "other", email: ');
    expect(told(run, "warning")).toContain(
      'token: { replaceExisting: true, expiresAt: "<a later date>" } })',
    );
  });

  test("says that nobody is sent of an accepted email that is put back, and of a new `resend` with nobody left", async () => {
    const nobody = `Onboarding of organization ${ORGANIZATION}: no requests and no emails will be sent.`;
    const back = await scripted(() => ({}));
    const olds = state({ [GRACE]: "inProcess" }, { formerStatuses: { [ADA]: "inProcess" } });
    await back.onboarding.diff("o1", olds, inputs(ADA, GRACE));
    expect(told(back, "info")).toContain(nobody);
    const retried = await scripted(() => ({}));
    await retried.onboarding.diff("o1", olds, { ...inputs(GRACE), resend: "1" });
    expect(told(retried, "info")).toContain(nobody);
    const quiet = await scripted(() => ({}));
    await quiet.onboarding.diff("o1", olds, inputs(GRACE));
    expect(quiet.messages).toEqual([]);
  });

  test("warns at each run of an email whose answer was lost, as long as nobody does anything about it", async () => {
    const run = await scripted(() => ({}));
    const olds = state({ [ADA]: "inProcess", [EVE]: "unknown" });
    expect(await run.onboarding.diff("o1", olds, inputs(ADA, EVE))).toMatchObject({ changes: false });
    expect(told(run, "warning")).toContain(
      `the response about ${EVE} was lost, and orgseat does not send them again automatically`,
    );
  });

  test("shows a replacement for another organization, and a change for emails that are not known yet", async () => {
    const run = await scripted(() => ({}));
    const olds = state({ [ADA]: "inProcess" });
    const diff = (news: Props) => run.onboarding.diff("o1", olds, { ...inputs(ADA), ...news });
    const replaced = { changes: true, replaces: ["organizationId"] };
    expect(await diff({ organizationId: "other" })).toEqual(replaced);
    expect(await diff({ organizationId: unknown })).toEqual(replaced);
    expect(await diff({ emails: [ADA, unknown] })).toMatchObject({ changes: true, replaces: [] });
    expect(await diff({ resend: unknown })).toMatchObject({ changes: true, replaces: [] });
    expect(run.messages).toEqual([]);
  });
});

describe("the creation of an Onboarding", () => {
  test("takes one call, and gives each email one status", async () => {
    const run = await scripted(() => answer([GRACE], [HEDY]));
    const { id, outs } = await run.onboarding.create(inputs(GRACE, HEDY, EVE));
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(sent(run)).toEqual([[GRACE, HEDY, EVE]]);
    expect(outs).toEqual({
      emails: [GRACE, HEDY, EVE],
      organizationId: common.organizationId,
      stateVersion: 1,
      statuses: { [GRACE]: "inProcess", [HEDY]: "unavailable", [EVE]: "refused" },
      formerStatuses: {},
      possibleMembers: [],
      totalSeats: 5,
      availableSeats: 3,
    });
  });

  test("call 4, rule 2: an email in neither list is refused, with the next step", async () => {
    const run = await scripted(() => answer([ADA]));
    await run.onboarding.create(inputs(ADA, EVE));
    expect(told(run, "warning")).toMatch(new RegExp(`refused: ${EVE}\\..* already has an account.* OrgUser`));
  });

  test("call 4, rule 3: emails without an available seat, with the next step", async () => {
    const run = await scripted(() => answer([ADA], [GRACE, HEDY], [1, 0]));
    await run.onboarding.create(inputs(ADA, GRACE, HEDY));
    expect(told(run, "warning")).toMatch(new RegExp(`unavailable: ${GRACE}, ${HEDY}\\. No seat.*\`resend\``));
  });

  test("says, with available seats, that the email has an account or is a member, and how an OrgUser manages it", async () => {
    const run = await scripted(() => answer([ADA], [GRACE], [5, 1]));
    await run.onboarding.create(inputs(ADA, GRACE, EVE));
    expect(told(run, "warning")).toContain(
      `unavailable: ${GRACE}. Seats are available, so the email has an account or is already a member. To add a person who has an account, remove the email from this list first, then declare an OrgUser with it.`,
    );
    expect(told(run, "warning")).not.toContain("No seat was left");
    expect(told(run, "warning")).toMatch(new RegExp(`refused: ${EVE}\\..*from this list first`));
  });

  test("call 4, rule 4: says that a later problem is not reported, and how it shows", async () => {
    const run = await scripted(() => answer([ADA]));
    await run.onboarding.create(inputs(ADA));
    expect(told(run, "info")).toMatch(
      new RegExp(`in process: ${ADA}\\..*check that each person appears in the organization`),
    );
  });

  test("finds an email in the answer in any letter case, in both lists as accepted, and passes over one that it did not send", async () => {
    const run = await scripted(() =>
      answer(["Ada@ACME.example", EVE], [" ADA@acme.example ", "Grace@acme.example"]),
    );
    const { outs } = await run.onboarding.create(inputs(ADA, GRACE));
    expect(outs?.statuses).toEqual({ [ADA]: "inProcess", [GRACE]: "unavailable" });
  });

  test.each<[string, object, Record<string, string>]>([
    ["no field", {}, { [ADA]: "unknown", [GRACE]: "unknown" }],
    [
      "counts only",
      { total_organization_seats: "5", available_organization_seats: "3" },
      { [ADA]: "unknown", [GRACE]: "unknown" },
    ],
    [
      "no list of the unavailable",
      { users_in_onboarding_process: [ADA] },
      { [ADA]: "inProcess", [GRACE]: "unknown" },
    ],
    [
      "no list of the accepted",
      { users_unavailable_for_onboarding: [GRACE] },
      { [ADA]: "unknown", [GRACE]: "unavailable" },
    ],
    [
      "null instead of a list",
      { users_in_onboarding_process: null, users_unavailable_for_onboarding: [GRACE] },
      { [ADA]: "unknown", [GRACE]: "unavailable" },
    ],
    [
      "an odd element",
      { users_in_onboarding_process: [ADA, null], users_unavailable_for_onboarding: [] },
      { [ADA]: "inProcess", [GRACE]: "unknown" },
    ],
    [
      "objects instead of emails",
      { users_in_onboarding_process: [{ email: ADA }], users_unavailable_for_onboarding: [GRACE] },
      { [ADA]: "unknown", [GRACE]: "unavailable" },
    ],
  ])(
    "L23: whose answer has %s keeps what it says, fails, and sends nobody again",
    async (_, body, statuses) => {
      const run = await scripted(() => ({ body }), { ORGSEAT_PLATFORM: "anaconda" });
      const error = await failure(run.onboarding.create(inputs(ADA, GRACE)));
      expect(error.properties).toMatchObject({ emails: [ADA, GRACE], statuses });
      const unsaid = [ADA, GRACE].filter((email) => statuses[email] === "unknown").join(", ");
      expect(error.message).toContain(
        `The service may have onboarded and emailed: ${unsaid}. Their status is`,
      );
      expect(told(run, "warning")).not.toContain("refused");
      const without = await run.onboarding.update("o1", error.properties ?? {}, inputs(GRACE));
      await run.onboarding.update("o1", without.outs ?? {}, inputs(ADA, GRACE));
      expect(sent(run)).toEqual([[ADA, GRACE]]);
    },
  );

  test.each<[total: unknown, available: unknown, totalSeats: number | null, availableSeats: number | null]>([
    ["40", " 3 ", 40, 3],
    ["unlimited", "3 of 40", null, null],
    ["", null, null, null],
    ["1e3", "-1", null, null],
    [{ seats: 40 }, true, null, null],
  ])(
    "L23: whose counts are %j and %j succeeds, and says of seats what it can read",
    async (total_organization_seats, available_organization_seats, totalSeats, availableSeats) => {
      const lists = { users_in_onboarding_process: [ADA], users_unavailable_for_onboarding: [] };
      const body = { ...lists, total_organization_seats, available_organization_seats };
      const run = await scripted(() => ({ body }), { ORGSEAT_PLATFORM: "anaconda" });
      const { outs } = await run.onboarding.create(inputs(ADA));
      expect(outs).toMatchObject({ statuses: { [ADA]: "inProcess" }, totalSeats, availableSeats });
      expect(sent(run)).toHaveLength(1);
    },
  );

  test("succeeds on an answer without the list of the unavailable if everybody is accepted", async () => {
    const script = () => ({ body: { users_in_onboarding_process: [ADA] } });
    const run = await scripted(script, { ORGSEAT_PLATFORM: "anaconda" });
    const { outs } = await run.onboarding.create(inputs(ADA));
    expect(outs).toMatchObject({ statuses: { [ADA]: "inProcess" } });
    expect(told(run, "warning")).toBe("");
  });

  test("D45: whose answer is lost and whose state is too large for a failure is kept all the same, with a warning", async () => {
    const run = await scripted(() => ({ fault: "close" }));
    const emails = Array.from({ length: 600 }, (_, index) => `person-${index}@acme.example`);
    const { id, outs = {} } = await run.onboarding.create(inputs(...emails));
    expect(new Set(Object.values(outs.statuses))).toEqual(new Set(["unknown"]));
    expect(told(run, "warning")).toMatch(/may have onboarded.*too large to be kept in an error/);
    await run.onboarding.update(id, outs, inputs(...emails));
    const again = await run.onboarding.update(id, outs, { ...inputs(...emails), resend: 1 });
    expect(again.outs).toMatchObject({ resend: "1" });
    expect(sent(run)).toHaveLength(2);
  });
});

describe("an update of an Onboarding", () => {
  test("an email that was ever unknown may be a member, also after an answer: a warning, and sent by `resend` only", async () => {
    const run = await scripted(inTurn({ fault: "close" }, answer([], [EVE])));
    const lost = await failure(run.onboarding.create(inputs(EVE)));
    const { outs: answered = {} } = await run.onboarding.update("o1", lost.properties ?? {}, {
      ...inputs(EVE),
      resend: 1,
    });
    expect(answered).toMatchObject({ statuses: { [EVE]: "unavailable" }, possibleMembers: [EVE] });
    expect(told(run, "warning")).toContain(
      `An earlier response about ${EVE} was lost, so they may be members`,
    );

    await run.onboarding.diff("o1", answered, { ...inputs(), resend: "1" });
    await run.onboarding.delete("o1", answered);
    const perhaps = `possibly (response lost): ${EVE}.`;
    expect(told(run, "warning")).toContain(`removed from the list: ${perhaps}`);
    expect(told(run, "warning")).toContain(`stay members, and keep their seats and tokens: ${perhaps}`);
  });
});

describe("an Onboarding", () => {
  test("stays as it is in a refresh, without a call", async () => {
    const run = await scripted(() => ({}));
    const olds = state({ [ADA]: "inProcess" });
    const { __provider: _, ...outs } = olds;
    expect(await run.onboarding.read("o1", olds)).toEqual({ id: "o1", props: outs });
    expect(run.sent()).toEqual([]);
  });

  test("reads a state that does not say who was ever unknown as one where nobody was", async () => {
    const run = await scripted(() => ({}));
    const { possibleMembers: _, ...olds } = state({ [GRACE]: "unavailable" });
    expect(await run.onboarding.read("o1", olds)).toMatchObject({ props: { possibleMembers: [] } });
  });

  test("ends forgotten without a call, and a warning names who stays a member", async () => {
    const run = await scripted(() => ({}));
    const olds = state(
      { [ADA]: "inProcess", [GRACE]: "unavailable", [EVE]: "unknown" },
      { formerStatuses: { [HEDY]: "inProcess" } },
    );
    await run.onboarding.delete("o1", olds);
    expect(run.sent()).toEqual([]);
    expect(told(run, "warning")).toContain(
      `stay members, and keep their seats and tokens: ${HEDY}, ${ADA}; possibly (response lost): ${EVE}.`,
    );
    expect(told(run, "warning")).toContain("declare `new OrgMember");
  });

  test("names everybody it let in when removed or emptied, since nothing names them again", async () => {
    const run = await scripted(() => ({}));
    const people = Array.from({ length: 100 }, (_, index) => `p${index}@acme.example`);
    const olds = state(Object.fromEntries(people.map((email) => [email, "inProcess"])));
    await run.onboarding.delete("o1", olds);
    await run.onboarding.diff("o1", olds, inputs());
    const warnings = run.messages.map(({ text }) => text);
    expect(warnings).toEqual(Array(2).fill(expect.stringContaining(`: ${people.join(", ")}. `)));
  });
});

describe("an Onboarding on a platform that lists members", () => {
  const listing = { ORGSEAT_PLATFORM: "anaconda" };

  test("sends the reader of an unavailable or refused email to the list, which has the user id to adopt", async () => {
    const run = await scripted(() => answer([ADA], [GRACE], [5, 1]), listing);
    const before = state({ [EVE]: "unknown" });
    await run.onboarding.update("o1", before, { ...inputs(ADA, GRACE, EVE), resend: "1" });
    const adopt =
      "then declare an OrgUser with it. If `getUsers` lists the person, set `adopt` to the user ID.";
    expect(told(run, "warning")).toContain(`unavailable: ${GRACE}. Seats are available`);
    expect(told(run, "warning").split(adopt)).toHaveLength(3);
    expect(told(run, "warning")).toContain(
      `An earlier response about ${EVE} was lost, so they may be members: \`getUsers\` lists the members.`,
    );
  });

  test("ends with a way to remove a person that leaves nothing of the person", async () => {
    const organization = await organizationOn("anaconda");
    const { management } = organization.service;
    const stack = organization.stack();
    await stack.up([{ type: "Onboarding", name: "team", args: { emails: [ADA] } }]);
    const warnings = (await stack.up([])).messages.map(({ text }) => text).join("\n");
    const [, declared = ""] = /new OrgMember\("<name>", (\{.*?\})\)/.exec(warnings) ?? [];
    expect(warnings).toContain("`pulumi up`; `getUsers` lists the user ID. Then remove that line");
    expect(warnings).toContain("`pulumi up` again, which revokes all tokens of the person.");
    const userIds = async () =>
      (await management.snapshot()).users.flatMap(({ email, userId }) => (email === ADA ? [userId] : []));
    const [userId = ""] = await userIds();
    const json = declared
      .replace(/(\w+): /g, '"$1": ')
      .replace("<email>", ADA)
      .replace("<user id>", userId);
    const args: Props = JSON.parse(json);
    expect((await stack.up([{ type: "OrgMember", name: "leaver", args }])).errors).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    expect(await userIds()).toEqual([]);
    expect(
      (await management.snapshot()).tokens.filter((token) => token.userId === userId && !token.revoked),
    ).toEqual([]);
  });
});
