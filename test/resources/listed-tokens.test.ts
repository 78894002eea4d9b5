/** Tokens at a service that lists them: each lifecycle, over HTTP. */
import { describe, expect, test } from "vitest";
import { pausesOnly } from "../setup/direct-providers.ts";
import { ada, expectSettled, idOf, listedOrganization, member, operation, outsOf } from "./listed.ts";

const program = member("ada", ada);
const LATER = "2031-01-31T23:59:59Z";

describe("a token of a service that lists tokens", () => {
  test("explicit dates: later and earlier are renewals with the same value, and tolerance is part of the expiry", async () => {
    const organization = await listedOrganization();
    const { service, organizationId } = organization;
    await service.management.changeSubscription(organizationId, { expiresAt: LATER });
    const stack = organization.stack({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: LATER });
    const until = (expiresAt: string, expirationToleranceMonths = 0) =>
      member("ada", ada, { token: { expiresAt, expirationToleranceMonths } });
    await expectSettled(stack, until("2030-06-30T00:00:00Z"));
    const { value: token } = outsOf(stack, "ada-token");
    for (const [at, months, end] of [
      ["2030-09-30T00:00:00Z", 0, "2030-09-30T00:00:00Z"],
      ["2030-03-31T00:00:00Z", 0, "2030-03-31T00:00:00Z"],
      ["2030-08-15T00:00:00Z", 1, "2030-09-15T00:00:00Z"],
      ["2030-01-31T00:00:00Z", 1, expect.stringMatching(/^2030-0(2-28|3-03)T00:00:00Z$/)],
      ["2030-01-31T00:00:00Z", 0, "2030-01-31T00:00:00Z"],
    ] as const) {
      expect(await stack.preview(until(at, months))).toEqual(["ada-token"]);
      await expectSettled(stack, until(at, months));
      expect(outsOf(stack, "ada-token")).toMatchObject({ value: token, validUntil: end });
    }
    expect((await organization.snapshot()).tokens).toHaveLength(1);
  });

  test("a renewal that moves another token fails: the own one has its old end", async () => {
    const organization = await listedOrganization();
    const { service, organizationId, neighbor } = organization;
    const stack = organization.stack();
    stack.time = pausesOnly;
    await expectSettled(stack, program);
    await neighbor.issueToken(idOf(stack, "ada-user"), LATER, operation);
    await service.management.changeSubscription(organizationId, { expiresAt: LATER });
    stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = LATER;
    expect((await stack.up(program)).errors).toEqual([
      expect.stringContaining("the service accepted the renewal, but the token expires at"),
    ]);
  });

  test("adopt: several tokens are an error that lists them, an id selects one, rotation replaces it", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: ada.email }, operation);
    for (const _ of [1, 2]) await neighbor.issueToken(id, LATER, operation);
    const [first, second] = (await organization.snapshot()).tokens.map(({ tokenId }) => tokenId);
    const of = (token: Record<string, unknown>) => member("ada", { ...ada, adopt: id }, { token });
    const stack = organization.stack();
    const { errors } = await stack.up(of({ adopt: true }));
    expect(errors[0]).toContain(`${first} (expires `);
    expect(errors[0]).toContain(`${second} (expires `);
    await expectSettled(stack, of({ adopt: second }));
    expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId: second });
    expect(outsOf(stack, "ada-token").value).toBeUndefined();
    await expectSettled(stack, of({ adopt: second, rotation: "2" }));
    expect(outsOf(stack, "ada-token").value).toEqual(expect.any(String));
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("an issued token whose id the lists do not tell: the state keeps its value, and a refresh finds the id", async () => {
    const organization = await listedOrganization();
    const { management } = organization.service;
    const stack = organization.stack();
    await management.addFaults({ match: { call: 18 }, after: 2, fault: { kind: "refuse", status: 403 } });
    expect((await stack.up(program)).errors).toEqual([]);
    const { value: token } = outsOf(stack, "ada-token");
    expect(outsOf(stack, "ada-token")).toMatchObject({ value: expect.any(String), tokenId: null });
    await stack.refresh();
    await expectSettled(stack, program);
    const [listed, ...more] = (await organization.snapshot()).tokens;
    expect(more).toEqual([]);
    expect(outsOf(stack, "ada-token")).toMatchObject({ value: token, tokenId: listed?.tokenId });
  });

  test("an issued token beside a new one of a neighbor: a rotation waits until one remains", async () => {
    const organization = await listedOrganization();
    const { neighbor, service } = organization;
    const stack = organization.stack();
    await service.management.addFaults({
      match: { call: 18 },
      after: 2,
      fault: { kind: "refuse", status: 403 },
    });
    await stack.up(program);
    const id = idOf(stack, "ada-user");
    const end = String(outsOf(stack, "ada-token").validUntil);
    await neighbor.issueToken(id, end, operation);
    const [own, other] = (await organization.snapshot()).tokens.map(({ tokenId }) => tokenId);
    const { errors } = await stack.up(member("ada", ada, { token: { rotation: "2" } }));
    expect(errors[0]).toContain(`the user has the tokens ${own}, ${other}`);
    expect((await stack.destroy()).errors[0]).toContain("cannot tell which token");
    await neighbor.revokeToken(id, operation, other);
    await stack.refresh();
    await expectSettled(stack, program);
    expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId: own });
  });

  test("tokens that keep a user from being removed: the error lists them", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    stack.time = pausesOnly;
    await expectSettled(stack, program);
    await organization.neighbor.issueToken(idOf(stack, "ada-user"), LATER, operation);
    const [, other] = (await organization.snapshot()).tokens;
    expect((await stack.destroy()).errors).toEqual([
      expect.stringContaining(`still has a seat or a token: ${other?.tokenId} (expires `),
    ]);
  });
});
