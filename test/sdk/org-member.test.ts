/** OrgMember as a program has it: one resource, whose types say which outputs can be missing. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { type MemberToken, type MemberTokenOptions, OrgMember, type OrgMemberArgs } from "../../sdk/index.ts";
import { type Registered, recordRegistrations, run } from "./mocked.ts";

const registered = new Map<string, Registered>();
const ada = { email: "ada@acme.example", seat: true } as const;
beforeEach(() =>
  recordRegistrations(registered, { userId: "u1", hasSeat: true, tokenValue: "value-of-token" }),
);

describe("an OrgMember", () => {
  test("registers one resource, with its inputs and Pulumi's options as they are", async () => {
    const found: unknown[] = [];
    await run(() => {
      const accessUntil = pulumi.output("2030-01-31");
      const token = { rotation: 2, recipients: ["age1"] };
      const options = { ignoreChanges: ["token.rotation", "accessUntil"] };
      const member = new OrgMember("ada", { ...ada, token, accessUntil }, options);
      pulumi.all([member.userId, member.hasSeat, member.tokenValue]).apply((all) => found.push(...all));
    });
    const { __provider: _, ...inputs } = registered.get("ada")?.inputs ?? {};
    expect(inputs).toEqual({
      ...ada,
      token: { rotation: 2, recipients: ["age1"] },
      accessUntil: "2030-01-31",
    });
    expect(registered.get("ada")?.ignored).toEqual(["token.rotation", "accessUntil"]);
    expect([...registered.keys()]).toEqual(["ada"]);
    expect(found).toEqual(["u1", true, "value-of-token"]);
  });

  test("sets the input protected by the option protect, and fails where the two disagree", async () => {
    await run(() => {
      new OrgMember("by-option", { ...ada, email: "a@acme.example" }, { protect: true });
      new OrgMember("by-input", { ...ada, email: "b@acme.example", protected: true });
      new OrgMember("by-both", { ...ada, email: "c@acme.example", protected: true }, { protect: true });
      new OrgMember("neither", { ...ada, email: "d@acme.example" }, { protect: false });
    });
    const found = [...registered].map(([name, one]) => [name, [one.inputs.protected, one.isProtected]]);
    expect(Object.fromEntries(found)).toEqual({
      "by-option": [true, true],
      "by-input": [true, false],
      "by-both": [true, true],
      neither: [undefined, false],
    });
    registered.clear();
    const failures = await run(
      () => void new OrgMember("ada", { ...ada, protected: false }, { protect: true }),
    );
    expect(failures.join()).toContain(
      'OrgMember "ada": the option protect is true, and the input protected is false. Omit one of them',
    );
    expect([...registered.keys()]).toEqual([]);
  });
});

describe("the types of an OrgMember", () => {
  test("contain no undefined where the inputs leave none", async () => {
    const wide: pulumi.Input<string> = pulumi.output("2030-01-31");
    await run(() => {
      const one = new OrgMember("one", { ...ada, token: {} });
      expectTypeOf(one.userId).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(one.hasSeat).toEqualTypeOf<pulumi.Output<boolean>>();
      expectTypeOf(one.tokenValue).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(one.tokenState).toEqualTypeOf<pulumi.Output<MemberToken>>();
      expectTypeOf(one.sealedValue).toEqualTypeOf<pulumi.Output<string | undefined>>();

      const token = { expiresAt: wide, rotation: 1, keepPreviousFor: "7d" };
      const machine = new OrgMember("machine", { purpose: "builds", seat: {}, token });
      expectTypeOf(machine.tokenValue).toEqualTypeOf<pulumi.Output<string>>();
      const email = "unset@acme.example";
      const unset = new OrgMember("unset", { ...ada, email, token: {}, accessUntil: undefined });
      expectTypeOf(unset.userId).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(unset.tokenValue).toEqualTypeOf<pulumi.Output<string>>();
    });
  });

  test("contain undefined for what accessUntil, recipients, keepValue, adopt, and no token can leave out", async () => {
    const person = (name: string) => ({ email: `${name}@acme.example`, seat: true }) as const;
    type MaybeText = pulumi.Output<string | undefined>;
    await run(() => {
      const ends = new OrgMember("ends", { ...person("ends"), token: {}, accessUntil: "2030-01-31" });
      expectTypeOf(ends.userId).toEqualTypeOf<MaybeText>();
      expectTypeOf(ends.hasSeat).toEqualTypeOf<pulumi.Output<boolean>>();
      expectTypeOf(ends.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(ends.tokenState).toEqualTypeOf<pulumi.Output<MemberToken | undefined>>();
      const until: string | undefined = registered.get("none") && "2030-01-31";
      const may = new OrgMember("may", { ...person("may"), token: {}, accessUntil: until });
      expectTypeOf(may.userId).toEqualTypeOf<MaybeText>();

      const sealed = new OrgMember("sealed", { ...person("sealed"), token: { recipients: ["age1"] } });
      expectTypeOf(sealed.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(sealed.sealedValue).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(sealed.tokenState).toEqualTypeOf<pulumi.Output<MemberToken>>();
      const mailed = new OrgMember("mailed", { ...person("mailed"), token: { keepValue: false } });
      expectTypeOf(mailed.tokenValue).toEqualTypeOf<MaybeText>();
      const adopted = new OrgMember("adopted", { ...person("adopted"), token: { adopt: true } });
      expectTypeOf(adopted.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(adopted.tokenState).toEqualTypeOf<pulumi.Output<MemberToken>>();

      const guest = new OrgMember("guest", person("guest"));
      expectTypeOf(guest.userId).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(guest.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(guest.tokenState).toEqualTypeOf<pulumi.Output<MemberToken | undefined>>();
    });
  });

  test("contain undefined where a variable's type leaves open what is declared", async () => {
    type MaybeText = pulumi.Output<string | undefined>;
    const token = ((): MemberTokenOptions | undefined => ({}))();
    const anyToken = ((): MemberTokenOptions => ({}))();
    const anyArgs = ((): OrgMemberArgs => ({ email: "b@acme.example", seat: true, token: {} }))();
    await run(() => {
      const maybe = new OrgMember("maybe", { ...ada, token });
      expectTypeOf(maybe.userId).toEqualTypeOf<pulumi.Output<string>>();
      expectTypeOf(maybe.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(maybe.sealedValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(maybe.tokenState).toEqualTypeOf<pulumi.Output<MemberToken | undefined>>();
      const open = new OrgMember("open", { ...ada, email: "open@acme.example", token: anyToken });
      expectTypeOf(open.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(open.tokenState).toEqualTypeOf<pulumi.Output<MemberToken>>();
      const wide = new OrgMember("wide", anyArgs);
      expectTypeOf(wide).toEqualTypeOf<OrgMember>();
      expectTypeOf(wide.userId).toEqualTypeOf<MaybeText>();
      expectTypeOf(wide.tokenValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(wide.sealedValue).toEqualTypeOf<MaybeText>();
      expectTypeOf(wide.tokenState).toEqualTypeOf<pulumi.Output<MemberToken | undefined>>();
    });
    const list: OrgMember[] = [];
    // A member of narrow types is one of the wide type.
    await run(() => void list.push(new OrgMember("ada", { ...ada, token: {} })));
    expect(list).toHaveLength(1);
  });
});
