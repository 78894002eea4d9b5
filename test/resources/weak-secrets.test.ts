import { expect, test } from "vitest";
import { common, inTurn, scripted } from "./scripted.ts";

const ada = { ...common, email: "ada@acme.example" };
const created = { body: { id: "u1", email: "ada@acme.example" } };

test("a secret that is too short to be removed from messages is warned about once a run, and not printed", async () => {
  const run = await scripted(inTurn(created), { ORGSEAT_CLIENT_SECRET: "xyzzy", ORGSEAT_PASSWORD: "p" });
  await run.orgUser.create(ada);
  await run.orgUser.create({ ...ada, email: "grace@acme.example" }).catch(() => undefined);
  const warned = run.messages.filter(({ severity }) => severity === "warning").map(({ text }) => text);
  expect(warned.filter((text) => text.includes("characters"))).toEqual([
    expect.stringMatching(/^password has fewer than 6 characters, .* Choose a longer one\.$/),
    expect.stringMatching(/^clientSecret has fewer than 6 characters/),
  ]);
  expect(warned.join()).not.toContain("xyzzy");
});

test("longer secrets, those of a resource too, are no reason to warn; its own short one is", async () => {
  const run = await scripted(inTurn(created));
  await run.orgUser.create(ada);
  expect(run.messages).toEqual([]);
  const credentials = { clientId: "own", clientSecret: "short" };
  await run.orgUser.create({ ...ada, email: "grace@acme.example", credentials }).catch(() => undefined);
  expect(run.messages.map(({ text }) => text)).toEqual([expect.stringMatching(/^clientSecret has fewer/)]);
});

test("a check names the token of a member, whose value Pulumi would show with the property", async () => {
  const run = await scripted(() => ({}));
  const token = { recipients: ["AGE-SECRET-KEY-1PASTED"] };
  for (const [more, reasons] of [
    [{ seat: false, token: {} }, ["token: a token needs a seat."]],
    [{ seat: true, token: { sendEmail: true } }, ["token.sendEmail: not supported"]],
    [{ seat: false, token }, ["token.recipients", "token: a token needs a seat."]],
  ] as const) {
    const { failures = [] } = await run.member.check({}, { ...ada, ...more });
    expect(failures.map(({ property }) => property)).toEqual(reasons.map(() => ""));
    for (const [index, reason] of reasons.entries()) expect(failures[index]?.reason).toContain(reason);
    expect(JSON.stringify(failures)).not.toContain("PASTED");
  }
});
