import { expect, test } from "vitest";
import { limitRenewals } from "../../provider/limited-log.ts";

function written(texts: readonly string[], severity: "info" | "warning" = "info"): string[] {
  const lines: string[] = [];
  const log = limitRenewals({ write: (_severity, text) => void lines.push(text), flush: async () => {} });
  for (const text of texts) log.write(severity, text);
  return lines;
}

const renewals = (count: number) =>
  Array.from({ length: count }, (_, index) => `renew token of p${index}@acme.example: expires X -> Y`);

test("20 renewals are listed, and all others in one line", () => {
  expect(written(renewals(20))).toEqual(renewals(20));
  const more = "renew token of more people: not listed here, counted as updates";
  expect(written(renewals(900))).toEqual([...renewals(20), more]);
});

test("a renewal is listed once, and other messages are not limited", () => {
  expect(written([...renewals(3), ...renewals(3)])).toEqual(renewals(3));
  const others = Array.from({ length: 50 }, (_, index) => `rotate token of p${index}`);
  expect(written(others)).toEqual(others);
  expect(written(renewals(30), "warning")).toEqual(renewals(30));
});
