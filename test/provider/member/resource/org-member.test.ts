/** OrgMember as Pulumi calls it: inputs are what is wanted, outputs what is held, after each success and each failure. */
import { describe, expect, test } from "vitest";
import { orgMemberDefinition as definition } from "../../../../provider/member/resource/org-member.ts";
import {
  inputs as inputSchemas,
  type OrgMemberInputs,
  type OrgMemberOutputs,
  outputs,
} from "../../../../provider/member/resource/schema.ts";
import { PartiallyCreated } from "../../../../provider/resources/resource.ts";
import { type Knowable, unknown } from "../../../../provider/resources/unknown.ts";
import type { PlatformName } from "../../../../sandbox/service/index.ts";
import { address, type LiveOrganization, LiveRun, liveOrganization } from "../execute/live-member.ts";

interface State {
  readonly id: string;
  readonly outs: OrgMemberOutputs;
}

/** One resource in a state, as Pulumi keeps it: in JSON. */
class Resource {
  readonly organization: LiveOrganization;
  readonly end: string;
  state: State | undefined;

  constructor(organization: LiveOrganization, end: string) {
    this.organization = organization;
    this.end = end;
  }

  static async on(platform: PlatformName): Promise<Resource> {
    const organization = await liveOrganization(platform);
    return new Resource(organization, await organization.endOfSubscription());
  }

  inputs(more: Partial<OrgMemberInputs>): OrgMemberInputs {
    const { organizationId } = this.organization;
    return { seat: true, token: {}, subscriptionExpiresAt: this.end, organizationId, ...more };
  }

  outs(): OrgMemberOutputs {
    if (this.state === undefined) throw new Error("not in the state");
    return this.state.outs;
  }

  hasChanges(more: Partial<OrgMemberInputs>): boolean {
    const context = new LiveRun(this.organization).context();
    return definition.diff("", this.outs(), this.inputs(more), context).changes;
  }

  /** @returns the message of a failure */
  async up(more: Partial<OrgMemberInputs>): Promise<string | undefined> {
    const news = this.inputs(more);
    return this.#method(async (context) => {
      if (this.state === undefined) return definition.create(news, context);
      const { id, outs } = this.state;
      const after = await definition.update(id, outs, news, context);
      // A preview shows these as known.
      for (const key of this.stable(more)) expect(after[key], key).toEqual(outs[key]);
      return { id, outs: after };
    });
  }

  /** The outputs that the preview of an update shows. */
  stable(more: Partial<Knowable<OrgMemberInputs>>): readonly (keyof OrgMemberOutputs)[] {
    const news = { ...this.inputs({}), ...more };
    return definition.stableIn?.(this.outs(), news, new LiveRun(this.organization).context()) ?? [];
  }

  async refresh(): Promise<boolean> {
    const run = new LiveRun(this.organization);
    const outs = await run.method(() => definition.read("", this.outs(), run.callContext()));
    if (outs !== undefined) this.#keep({ id: this.state?.id ?? "", outs });
    return outs !== undefined;
  }

  async delete(): Promise<string> {
    const run = new LiveRun(this.organization);
    return run.method(() => definition.delete("", this.outs(), run.context()));
  }

  async #method(
    work: (context: ReturnType<LiveRun["context"]>) => Promise<State>,
  ): Promise<string | undefined> {
    const run = new LiveRun(this.organization);
    try {
      this.#keep(await run.method(() => work(run.context())));
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof PartiallyCreated) this.#keep({ id: error.id, outs: outputs.parse(error.outs) });
      return error.message;
    }
  }

  #keep({ id, outs }: State): void {
    if (this.state !== undefined) expect(id).toBe(this.state.id);
    this.state = { id, outs: outputs.parse(JSON.parse(JSON.stringify(outs))) };
  }
}

async function valid(resource: Resource): Promise<boolean> {
  const { tokenValue = "" } = resource.outs();
  return (await resource.organization.management.probe(tokenValue)).live;
}

describe.each(["basic", "anaconda"] as const)("OrgMember on %s", (platform) => {
  test("adds a person with seat and token, and then has no change", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    expect(await resource.up({ email })).toBeUndefined();
    const outs = resource.outs();
    expect(outs).toMatchObject({
      email,
      hasSeat: true,
      userId: expect.any(String),
      tokenState: { value: "kept" },
    });
    expect(resource.state?.id).not.toBe(outs.userId);
    expect(await valid(resource)).toBe(true);
    expect(resource.hasChanges({ email })).toBe(false);
    const held = JSON.stringify(outs.held);
    expect(held).not.toContain(outs.tokenValue);
    expect(held).not.toContain("ada-");
  });

  test("updates for a rotation and for the end of the access, and replaces nothing", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    await resource.up({ email, token: { rotation: "1" } });
    const before = resource.outs();
    expect(resource.hasChanges({ email, token: { rotation: "2" } })).toBe(true);
    expect(await resource.up({ email, token: { rotation: "2" } })).toBeUndefined();
    expect(resource.outs().userId).toBe(before.userId);
    expect(resource.outs().tokenValue).not.toBe(before.tokenValue);
    expect(await valid(resource)).toBe(true);
    const ended = { email, accessUntil: "2026-01-01T00:00:00Z", token: { rotation: "2" } };
    expect(await resource.up(ended)).toBeUndefined();
    expect(resource.outs()).toMatchObject({ hasSeat: false, held: { users: [] } });
    expect(resource.outs()).not.toHaveProperty("userId");
    expect(resource.outs()).not.toHaveProperty("tokenValue");
    expect(resource.hasChanges(ended)).toBe(false);
  });

  test("keeps the outputs of the old user while a changed email is half done, and completes in the next run", async () => {
    const resource = await Resource.on(platform);
    const [old, email] = [address("old"), address("new")];
    await resource.up({ email: old });
    const before = resource.outs();
    const { management } = resource.organization;
    await management.addFaults({
      match: { call: 6 },
      times: "always",
      fault: { kind: "refuse", status: 402 },
    });
    expect(await resource.up({ email })).toContain("No seat is available for");
    expect(resource.outs()).toMatchObject({ email: old, userId: before.userId });
    expect(resource.outs()).not.toHaveProperty("tokenValue");
    expect(resource.outs().held.users).toHaveLength(2);
    await management.clearFaults();
    expect(resource.hasChanges({ email })).toBe(true);
    expect(await resource.up({ email })).toBeUndefined();
    expect(resource.outs()).toMatchObject({ email, hasSeat: true });
    expect(resource.outs().userId).not.toBe(before.userId);
    expect(await valid(resource)).toBe(true);
    expect(resource.hasChanges({ email })).toBe(false);
  });

  test("keeps a creation that failed halfway, and nothing of one that did nothing", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    const { management } = resource.organization;
    await management.addFaults({ match: { call: 5 }, fault: { kind: "refuse", status: 403 } });
    expect(await resource.up({ email })).toContain("HTTP 403");
    expect(resource.state).toBeUndefined();
    await management.clearFaults();
    await management.addFaults({ match: { call: 7 }, fault: { kind: "refuse", status: 402 } });
    expect(await resource.up({ email })).toContain("HTTP 402");
    expect(resource.outs()).toMatchObject({ email, hasSeat: true });
    expect(await resource.up({ email })).toBeUndefined();
    expect(await valid(resource)).toBe(true);
  });

  test("seals the value before it is stored, and sends nothing for a key that cannot be used", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    const recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"];
    await resource.organization.requests();
    const broken = [`${recipients[0]?.slice(0, -1)}q`];
    expect(await resource.up({ email, token: { recipients: broken } })).toContain("cannot seal the token");
    expect(await resource.organization.calls()).toEqual([]);
    expect(await resource.up({ email, token: { recipients } })).toBeUndefined();
    expect(resource.outs().sealedValue).toContain("BEGIN AGE ENCRYPTED FILE");
    expect(resource.outs()).not.toHaveProperty("tokenValue");
  });

  test("holds nothing once it leaves, and its deletion then sends nothing", async () => {
    const resource = await Resource.on(platform);
    await resource.up({ email: address("ada") });
    expect(await resource.up({ leaving: true, seat: undefined, token: undefined })).toBeUndefined();
    expect(resource.outs().held).toMatchObject({ users: [], agreed: { leaving: true } });
    await resource.organization.requests();
    expect(await resource.delete()).toBe("gone");
    expect(await resource.organization.calls()).toEqual([]);
  });

  test("revokes, frees the seat, and removes the user of a deletion, and leaves a protected member as it is", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    await resource.up({ email, protected: true });
    await resource.organization.requests();
    await expect(resource.delete()).rejects.toThrow(`${email} (user `);
    expect(await resource.organization.calls()).toEqual([]);
    expect(await resource.up({ email })).toBeUndefined();
    expect(await resource.delete()).toBe("deleted");
    const { users } = await resource.organization.snapshot();
    expect(users.some((user) => user.email === email)).toBe(false);
  });

  test("knows in a preview what its steps leave as it is", async () => {
    const resource = await Resource.on(platform);
    const [email, rotation, expiresAt] = [address("ada"), "1", "60d"];
    const ofUser = ["userId", "hasSeat"];
    const ofToken = ["tokenValue", "sealedValue", "tokenState"];
    const token = { rotation, expiresAt };
    await resource.up({ email, token });
    const stable = (more: Parameters<Resource["stable"]>[0]) => resource.stable({ email, token, ...more });
    expect(stable({})).toEqual([...ofUser, ...ofToken]);
    expect(stable({ onDelete: "retain", firstName: unknown })).toEqual([...ofUser, ...ofToken]);
    // A renewal keeps the value.
    expect(stable({ token: { rotation, expiresAt: "90d" } })).toEqual([
      ...ofUser,
      "tokenValue",
      "sealedValue",
    ]);
    for (const changed of [{ expiresAt, rotation: "2" }, unknown] as const)
      expect(stable({ token: changed })).toEqual([...ofUser, "sealedValue"]);
    // Not kept any more: nothing is sent.
    expect(stable({ token: { ...token, keepValue: false } })).toEqual([...ofUser, "sealedValue"]);
    expect(stable({ seat: false, token: undefined })).toEqual(["userId", "sealedValue"]);
    for (const other of [address("eve"), unknown] as const) expect(stable({ email: other })).toEqual([]);
    for (const accessUntil of ["2026-01-01T00:00:00Z", unknown] as const)
      expect(stable({ accessUntil })).toEqual([]);
    await resource.up({ email, token, accessUntil: "2026-01-01T00:00:00Z" });
    expect(stable({ accessUntil: "2026-01-01T00:00:00Z" })).toEqual([...ofUser, ...ofToken]);
    expect(stable({})).toEqual([]);
    expect(stable({ email: unknown })).toEqual([]);
  });

  test("replaces for another organization, and for an unknown one", async () => {
    const resource = await Resource.on(platform);
    const email = address("ada");
    await resource.up({ email });
    const context = new LiveRun(resource.organization).context();
    const inputs = resource.inputs({ email });
    const others = ["00000000-0000-4000-8000-000000000001", unknown] as const;
    const found = others.map((organizationId) =>
      definition.diff("", resource.outs(), Object.assign({ ...inputs }, { organizationId }), context),
    );
    expect(found.map(({ replaces }) => replaces)).toEqual([["organizationId"], ["organizationId"]]);
  });
});

describe("OrgMember", () => {
  test("reads as gone once its user is proven absent, and otherwise holds what the list shows", async () => {
    const resource = await Resource.on("anaconda");
    const email = address("ada");
    await resource.up({ email });
    expect(await resource.refresh()).toBe(true);
    expect(resource.hasChanges({ email })).toBe(false);
    await resource.organization.management.removeUser(resource.outs().userId ?? "");
    expect(await resource.refresh()).toBe(false);
  });

  test("adopts user, seat, and token of an import, whose value is due only by a change", async () => {
    const resource = await Resource.on("anaconda");
    const email = address("ada");
    await resource.up({ email });
    const { userId = "" } = resource.outs();
    const run = new LiveRun(resource.organization);
    const found = await run.method(() =>
      definition.find(userId, { organizationId: resource.organization.organizationId }, run.callContext()),
    );
    expect(found).toMatchObject({ email, userId, hasSeat: true, tokenState: { value: "none" } });
    resource.state = { id: userId, outs: outputs.parse(JSON.parse(JSON.stringify(found))) };
    await resource.organization.requests();
    expect(await resource.up({ email })).toBeUndefined();
    expect(await resource.organization.calls()).toEqual([]);
    expect(resource.hasChanges({ email })).toBe(false);
  });

  test("repeats no input of another shape in its outputs", () => {
    const shared = Object.keys(outputs.shape).filter((key) => key in inputSchemas);
    expect(shared).toEqual(["email", "purpose", "lastName", "organizationId", "credentials"]);
  });
});
