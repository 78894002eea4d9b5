/** What offboard says of a run that did not do everything. */
import { expect, test, vi } from "vitest";
import { offboardToJson, offboardToText } from "../../../command/cli/verbs/offboard.ts";
import { outcomeWithout } from "../../../command/engine/engine.ts";
import { type OffboardResult, offboardPeople } from "../../../command/verbs/offboard.ts";
import { directFixture } from "../fixture.ts";

const ada = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
const grace = { ...ada, key: "grace", email: "grace@acme.example" };

/** Ada goes, and whom no one knows, where no run of the stack can begin. */
async function blindOffboard(): Promise<{ result: OffboardResult; userId: string | undefined }> {
  const ground = await directFixture(10);
  const { engine, organizationId } = ground;
  const roster = { organizationId, people: [ada, grace] };
  const ids = await ground.bring(roster);
  const organization = await ground.open(roster);
  const failure = { code: "pulumi-failed", text: "the passphrase is wrong" } as const;
  vi.spyOn(engine, "run").mockImplementation(async ({ stack }) => outcomeWithout(stack, failure));
  return { result: await offboardPeople(organization, ["ada", "nobody"], {}), userId: ids.get("ada") };
}

test("offboard whose stack cannot run says that seats and memberships are left, and never that nothing was changed", async () => {
  const { result } = await blindOffboard();
  const text = offboardToText(result);
  expect(text).toContain("failed   ada@acme.example  not sent: remove seat, remove user\n");
  expect(text).toContain("stack people failed: the passphrase is wrong");
  expect(text).not.toContain("No changes were made");
  expect(offboardToText({ ...result, applied: undefined, cancelled: true })).toContain(
    "Interrupted. Seats and memberships were not changed.",
  );
});

test("offboard --json has what became of each token, whom nobody knows, and the edit that is left", async () => {
  const { result, userId } = await blindOffboard();
  const given = {
    status: "failed",
    failure: { text: "the passphrase is wrong" },
    revoked: [{ who: ada.email, userId, outcome: "revoked", reason: null }],
    unknown: ["nobody"],
    edit: expect.stringMatching(/^-.*ada@acme\.example/m),
  };
  expect(offboardToJson(result)).toMatchObject(given);
  const [revoked] = result.revoked;
  const unreached = revoked && { ...revoked, outcome: "failed" as const, reason: "no answer came" };
  expect(offboardToJson({ ...result, revoked: unreached ? [unreached] : [] })).toMatchObject({
    revoked: [{ outcome: "failed", reason: "no answer came" }],
  });
});

test("offboard reports how many users' tokens are revoked so far", async () => {
  const ground = await directFixture(10);
  const roster = { organizationId: ground.organizationId, people: [ada, grace] };
  await ground.bring(roster);
  const counts: number[][] = [];
  const onRevoking = (...count: number[]) => void counts.push(count);
  await offboardPeople(await ground.open(roster), ["ada", "grace"], { onRevoking });
  expect(counts).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ]);
});
