import { expect, test } from "vitest";
import { LimitedMessages } from "../../provider/runtime/run-messages.ts";

const MORE = "renew token of more people: not listed here, counted as updates";

function written(...texts: readonly string[]): string[] {
  const messages = new LimitedMessages();
  return texts.flatMap((text) => messages.next(text, MORE) ?? []);
}

const renewals = (count: number) =>
  Array.from({ length: count }, (_, index) => `renew token of p${index}@acme.example: expires X -> Y`);

test("20 renewals are listed, and all others in one line", () => {
  expect(written(...renewals(20))).toEqual(renewals(20));
  expect(written(...renewals(900))).toEqual([...renewals(20), MORE]);
});

test("a renewal is listed once, and other messages have a limit of their own", () => {
  expect(written(...renewals(3), ...renewals(3))).toEqual(renewals(3));
  const messages = new LimitedMessages();
  for (const text of renewals(30)) messages.next(text, MORE);
  expect(messages.next("rotate token of ada@acme.example", "rotate more tokens")).toBe(
    "rotate token of ada@acme.example",
  );
});
