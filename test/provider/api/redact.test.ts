/** Secrets that the caller holds and the client neither sends nor receives: those of a resource's state. */
import { describe, expect, test } from "vitest";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { credentials, during, failureOf, Service } from "./service.ts";

test("a secret of the state that a service echoes is not shown", async () => {
  const echo = "kept in the state";
  await using service = await Service.start(() => ({
    status: 400,
    body: { error: { code: "X", message: `bad request: ${echo}!` } },
  }));
  const known = service.client().organization("o", credentials, [echo]);
  expect((await failureOf(known.renewToken("u", during()))).message).toContain("bad request: [removed]!");
  const unknown = service.client().organization("o", credentials);
  const shown = await failureOf(unknown.renewToken("u", during()));
  expect(shown.message, "the service does echo it").toContain(echo);
});

describe("a redactor", () => {
  const token = "Zx81-quince/Vault+77";
  const bytes = Buffer.from(token);
  const wide = Buffer.from(token, "utf16le");
  const escaped = Array.from(token, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const wrapped = Buffer.from(`{"name":"ada","token":"${token}"}`)
    .toString("base64")
    .replace(/(.{16})/g, "$1\n  ");

  test.each<[string, string]>([
    ["in upper case", token.toUpperCase()],
    ["in lower case", token.toLowerCase()],
    ["with an escape for each character", escaped],
    ["in base64 of several lines", wrapped],
    ["in hex with spaces", bytes.toString("hex").replace(/(..)/g, "$1 ").trim()],
    ["in hex with colons", bytes.toString("hex").replace(/(..)/g, "$1:").slice(0, -1)],
    ["in hex of a program", bytes.toString("hex").replace(/(..)/g, ", 0x$1").slice(4)],
    ["in escaped hex", bytes.toString("hex").replace(/(..)/g, "\\x$1").slice(2)],
    ["in UTF-16", wide.toString("latin1")],
    ["in base64 of UTF-16", wide.toString("base64")],
    ["in hex of UTF-16", wide.toString("hex")],
  ])("removes a secret %s", (_, form) => {
    const redactor = new Redactor();
    redactor.add(token);
    const shown = redactor.redactWhole(`the store said: "${form}" and no more`);
    expect(shown).toContain("[removed]");
    expect(shown).toMatch(/^the store said: .* and no more$/s);
    for (const part of form.split(/\s+/).filter((one) => one.length > 4)) expect(shown).not.toContain(part);
    expect(new Redactor().redactWhole(form)).toBe(form);
  });

  test("keeps text without a secret as it is, however long, and takes time by its length alone", () => {
    const redactor = new Redactor();
    redactor.add(token);
    const text = "0123 abcd\n".repeat(40_000);
    expect(redactor.redactWhole(text)).toBe(text);
  });
});
