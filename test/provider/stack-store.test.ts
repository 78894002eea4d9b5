import { expect, test } from "vitest";
import { PulumiStackStore } from "../../provider/unfinished/stack-store.ts";

test("userIdsIn reads the users of a state, and no other resource with the id of one", async () => {
  const resources = [
    { type: "pulumi:pulumi:Stack" },
    { type: "orgseat:index:OrgMember" },
    { type: "pulumi-nodejs:orgseat:OrgUser", id: "u1" },
    { type: "orgseat:index:OrgUser", id: "u2", delete: true },
    { type: "pulumi-nodejs:orgseat:SeatAssignment", id: "u3" },
    { type: "orgseat:index:UserToken", id: "u4" },
    { type: "github:index/membership:Membership", id: "u5" },
    { type: "github:index:OrgUser", id: "u6" },
  ];
  const asked: string[] = [];
  const store = new PulumiStackStore(async (...args) => {
    asked.push(args.join(" "));
    return JSON.stringify({ version: 3, deployment: { resources } });
  });
  expect([...(await store.userIdsIn("acme/people"))]).toEqual(["u1", "u2"]);
  expect(asked).toEqual(["stack export --stack acme/people"]);
});

test("userIdsIn finds none in an empty state", async () => {
  const store = new PulumiStackStore(async () => JSON.stringify({ version: 3, deployment: {} }));
  expect((await store.userIdsIn("people")).size).toBe(0);
});
