/** Secrets that the caller holds and the client neither sends nor receives: those of a resource's state. */
import { describe, expect, test } from "vitest";
import { credentials, during, failureOf, Service } from "./service.ts";

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const SECRET = 'kept "in" the ställe';

describe("a secret of the state that a service echoes is not shown", () => {
  test.each<[string, string]>([
    ["as it is", SECRET],
    ["in JSON", inJson(SECRET)],
    ["in an address", encodeURIComponent(SECRET)],
    ["in JSON that stands in JSON", inJson(inJson(SECRET))],
    ["in an address within an address", encodeURIComponent(new URLSearchParams({ p: SECRET }).toString())],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in hex", Buffer.from(SECRET).toString("hex")],
    ["reversed", Array.from(SECRET).reverse().join("")],
  ])("%s", async (_, echo) => {
    await using service = await Service.start(() => ({
      status: 400,
      body: { error: { code: "X", message: `bad request: ${echo}!` } },
    }));
    const known = service.client().organization("o", credentials, [SECRET]);
    const error = await failureOf(known.renewToken("u", during()));
    expect(error.message).toContain("bad request: [removed]");
    expect(error.message).not.toContain(echo);

    const unknown = service.client().organization("o", credentials);
    const shown = await failureOf(unknown.renewToken("u", during()));
    expect(shown.message, "the service does echo it").toContain(echo);
  });
});
