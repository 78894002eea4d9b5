/** Services that put what they know into their errors. */
import { expect } from "vitest";
import { formatInstant } from "../../provider/util/instants.ts";
import type { Copy } from "../setup/copies.ts";
import type { Answer, InterceptedRequest } from "../setup/intercepting-proxy.ts";
import { writtenForms } from "../setup/secrets.ts";
import { isCall, program, type Scenario, secretsShown, troubled } from "./scenario.ts";

/** A service that puts into its error whatever it was sent, and the secrets of what it was asked about. */
export function echoes(): Record<string, Scenario> {
  const calls: [string, boolean, (passed: InterceptedRequest) => boolean, only?: "anaconda"][] = [
    ["token endpoint", false, ({ path }) => path.endsWith("/iam/token") || !path.includes("/organizations/")],
    ["call 1", false, (passed) => isCall(passed, "POST", "/service-accounts")],
    ["call 2", false, (passed) => isCall(passed, "GET", "/service-accounts")],
    ["call 5", false, (passed) => isCall(passed, "POST", "/users")],
    ["call 6", false, (passed) => isCall(passed, "POST", "/seats")],
    ["call 7", false, (passed) => isCall(passed, "POST", "/token")],
    ["call 3", true, ({ method, path }) => method === "DELETE" && path.includes("/service-accounts/")],
    ["call 8", true, (passed) => isCall(passed, "PATCH", "/token")],
    ["call 9", true, ({ method, path }) => method === "DELETE" && /\/users\/[^/]+\/tokens?\b/.test(path)],
    ["call 10", true, (passed) => isCall(passed, "DELETE", "/seats")],
    ["call 11", true, ({ method, path }) => method === "DELETE" && /\/users\/[^/]+$/.test(path)],
    ["call 17", false, (passed) => isCall(passed, "GET", "/users"), "anaconda"],
    ["call 18", false, (passed) => isCall(passed, "GET", "/tokens"), "anaconda"],
  ];
  const shapes = ["raw", "json", "url", "base64 at 0"] as const;
  const listed = calls.flatMap(([name, full, matches, only]) =>
    shapes.map((shape): [string, Scenario] => [
      `an echo of the ${name}, ${shape}`,
      async ({ copy }) => {
        const made = await copy(full, only);
        const known = full ? await mintedOf(made, name === "call 3" ? "clientSecret" : "tokenValue") : [];
        let echoed = 0;
        made.proxy.answerInstead(matches, (passed) => {
          echoed += 1;
          return echo(passed, known, shape);
        });
        if (name === "call 8") await renewSubscription(made);
        const watched = await troubled(made, full && name !== "call 8" ? [] : program);
        expect(echoed, "the service has echoed").toBeGreaterThan(0);
        return watched;
      },
    ]),
  );
  return Object.fromEntries(listed);
}

/** The values of an output that is a secret, out of the state. */
async function mintedOf({ stack }: Copy, output: "clientSecret" | "tokenValue"): Promise<string[]> {
  const values = stack.resources().flatMap(({ outputs }) => outputs?.[output] ?? []);
  const minted = (await Promise.all(values.map((value) => stack.inTheClear(value)))).map(String);
  expect(secretsShown(minted.join(" "))).toEqual(["minted"]);
  return minted;
}

async function renewSubscription({ stack, organization: { service } }: Copy): Promise<void> {
  const later = formatInstant(Date.parse(service.seed.subscriptionExpiresAt) + 86_400_000);
  await service.management.changeSubscription(service.seed.organizationId, { expiresAt: later });
  stack.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = later;
}

function echo({ headers, body }: InterceptedRequest, known: readonly string[], shape: string): Answer {
  const sent = [headers.authorization ?? "", ...new URLSearchParams(body).values(), body];
  const text = [...sent, ...known].map((value) => writtenForms(value)[shape]).join(" ");
  const answer = (status: number, type: string, content: string): Answer => ({
    status,
    headers: { "content-type": type },
    body: Buffer.from(content),
  });
  if (shape === "raw")
    return answer(400, "application/json", JSON.stringify({ error: { code: "ECHO", message: text } }));
  if (shape === "json")
    return answer(
      422,
      "application/json",
      JSON.stringify({ detail: [{ loc: ["body"], msg: text, type: "echo" }] }),
    );
  return answer(
    400,
    shape === "url" ? "text/plain" : "text/html",
    shape === "url" ? text : `<html>${text}</html>`,
  );
}
