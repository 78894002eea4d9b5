import { WriteStream } from "node:tty";
import { afterEach, expect, test, vi } from "vitest";
import { isColored, painter } from "../../../command/cli/color.ts";

afterEach(() => void vi.unstubAllEnvs());

const terminal = { isTTY: true, hasColors: () => true };

test("a terminal with colors gets them; a pipe, a plain terminal and --no-color do not", () => {
  expect(isColored({}, terminal)).toBe(true);
  expect(isColored({ color: true }, terminal)).toBe(true);
  expect(isColored({ color: false }, terminal)).toBe(false);
  expect(isColored({}, { isTTY: true, hasColors: () => false })).toBe(false);
  expect(isColored({}, { isTTY: false, hasColors: () => true })).toBe(false);
  expect(isColored({}, { isTTY: true })).toBe(false);
});

test("NO_COLOR turns colors off", () => {
  const { getColorDepth, hasColors } = WriteStream.prototype;
  const stream = { isTTY: true, getColorDepth, hasColors };
  vi.stubEnv("CI", undefined);
  vi.stubEnv("TERM", "xterm");
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.stubEnv("NO_COLOR", undefined);
  expect(isColored({}, stream)).toBe(true);
  vi.stubEnv("NO_COLOR", "1");
  expect(isColored({}, stream)).toBe(false);
});

test("additions are green, removals and failures red, renewals cyan, and the rest is plain", () => {
  const paint = painter({}, terminal) ?? String;
  expect(paint("text", "joining")).toBe("\u001b[32mtext\u001b[39m");
  expect(paint("text", "leaving")).toBe("\u001b[31mtext\u001b[39m");
  expect(paint("text", "failed")).toBe("\u001b[31mtext\u001b[39m");
  expect(paint("text", "renewing")).toBe("\u001b[36mtext\u001b[39m");
  expect(paint("text", "other")).toBe("text");
  expect(painter({ color: false }, terminal)).toBeUndefined();
});
