/** What users, seats, and tokens of a program send on a platform with lists, by what is declared and what the lists show. */
import { expect, test } from "vitest";
import { type Props, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { heldSeat, heldTokenWith, heldUserWith, person, type Run, seat, token } from "./writes.ts";

interface Listed {
  readonly email?: string;
  readonly role?: string;
  readonly tokens?: readonly string[];
}
/** The only write, as method, path, and body; or that there is none: why, or the outputs. */
type Expected = string | RegExp | Props;
const at = { expires_at: SUBSCRIPTION_END };
const end = "2027-03-31T00:00:00Z";
const held = heldTokenWith({ id: "t1" });
const issue = (more: Props) => (run: Run) => run.token.create({ ...token, ...more });
const renew = (more: Props) => (run: Run) => run.token.update("token-1", held, { ...token, ...more });
const join = (more: Props) => (run: Run) => run.orgUser.create({ ...person, ...more });
const leave = (agreed = {}) => {
  return (run: Run) => run.orgUser.delete("u1", heldUserWith({ email: person.email }, agreed));
};
const sent = (call: string, body: Props = {}) => `${call} ${JSON.stringify(body)}`;
const renewed = { is_renewal: false, expires_at: end, expiration_tolerance_months: 2 };
const admin = { role: "admin" };
const allowed = { allowAdminRemoval: true };
const several = { tokens: ["t1", "t2"] };

test.each<[string, (run: Run) => Promise<unknown>, Expected, Listed?]>([
  [
    "sends an email about a seat",
    (run) => run.seat.create({ ...seat, sendEmail: true }),
    "POST /users/u1/seats?send_seat_assigned_email=true ",
  ],
  [
    "sends an email about a token",
    issue({ sendEmail: true }),
    sent("POST /users/u1/token", { ...at, send_token_email: true }),
  ],
  [
    "sends the tolerance of a token",
    issue({ expirationToleranceMonths: 1 }),
    sent("POST /users/u1/token", { ...at, expiration_tolerance_months: 1, send_token_email: false }),
  ],
  [
    "sends an earlier date and its tolerance, which is part of the expiry",
    renew({ expiresAt: end, expirationToleranceMonths: 2 }),
    sent("PATCH /users/u1/token", renewed),
    { tokens: ["t1"] },
  ],
  ["adopts the only token", issue({ adopt: true }), { tokenId: "t1" }, { tokens: ["t1"] }],
  ["adopts the named token", issue({ adopt: "t2" }), { tokenId: "t2" }, several],
  ["adopts none of several tokens", issue({ adopt: true }), /to adopt: t1 \(.*, t2 \(.*ambiguous/, several],
  [
    "adopts no token with an unknown id",
    issue({ adopt: "t9" }),
    /has t1 \(.*cannot-adopt/,
    { tokens: ["t1"] },
  ],
  ["adopts no unknown user", join({ adopt: "u9" }), /no user has this id/],
  ["adopts no other person", join({ adopt: "u1" }), /is eve@acme\.example/, { email: "eve@acme.example" }],
  ["adds no listed person", join({}), /set `adopt: "u1"`/, { email: "Ada@ACME.example" }],
  ["removes no administrator", leave(), /allowAdminRemoval: true/, admin],
  [
    "removes no billing manager",
    leave(),
    /role of this user is billing_manager/,
    { role: "billing_manager" },
  ],
  ["removes an administrator if allowed", leave(allowed), "DELETE /users/u1 ", admin],
  ["keeps what is allowed", join({ adopt: "u1", ...allowed }), { held: { agreed: allowed } }],
  ["frees no seat of an administrator", (run) => run.seat.delete("s", heldSeat), /allowAdminRemoval/, admin],
  ["revokes no token of an administrator", (run) => run.token.delete("t", held), /allowAdminRemoval/, admin],
])("%s", async (_, work, expected, { email = person.email, role = "member", tokens = [] } = {}) => {
  const root = { id: "adm", email: "root@acme.example", role: "admin", subscriptions: ["seat"] };
  const items = [root, { id: "u1", email, role, subscriptions: [] }];
  const listed = tokens.map((id) => ({ id, ...at }));
  const run = await scripted(
    ({ method, url }) => {
      if (method === "GET") return { body: { items: url.endsWith("/tokens") ? listed : items } };
      return { body: url.endsWith("/token") ? { token: "the-token" } : {} };
    },
    { ORGSEAT_PLATFORM: "anaconda" },
  );
  const result = await work(run).catch(({ message }: Error) => message);
  const writes = run.service.calls.filter(({ method }) => method !== "GET");
  const isWrite = typeof expected === "string";
  expect(writes.map(({ method, url, body }) => `${method} ${url.split("/the-org")[1]} ${body}`)).toEqual(
    isWrite ? [expected] : [],
  );
  if (expected instanceof RegExp) expect(result).toMatch(expected);
  else if (!isWrite) expect(result).toMatchObject({ outs: expected });
});
