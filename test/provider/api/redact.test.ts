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

  test.each<[string, string]>([
    ["in upper case", token.toUpperCase()],
    ["in lower case", token.toLowerCase()],
    ["in the body of a form, URL-encoded", encodeURIComponent(`password=${encodeURIComponent(token)}`)],
    ["in the base64 of a document", Buffer.from(`{"name":"ada","token":"${token}"}`).toString("base64")],
  ])("removes a secret %s", (_, form) => {
    const redactor = new Redactor();
    redactor.add(token);
    const shown = redactor.redact(`the store said: "${form}" and no more`);
    expect(shown).toContain("[removed]");
    expect(shown).toMatch(/^the store said: .* and no more$/s);
    expect(shown).not.toContain(form);
    expect(new Redactor().redact(form)).toBe(form);
  });

  test("keeps text without a secret as it is, however long, and takes time by its length alone", () => {
    const redactor = new Redactor();
    redactor.add(token);
    const text = "0123 abcd\n".repeat(40_000);
    expect(redactor.redact(text)).toBe(text);
  });
});
