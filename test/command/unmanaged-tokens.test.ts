/** A token that a member issues, where it ends the one that orgseat manages: seen at a refresh, and not ended unasked. */
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { tokenOf } from "../../command/verbs/token-values.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

const ADA = "ada@acme.example";

test("a refresh names a token that a member has issued, and only a rotation ends it", async () => {
  const { fixture: acme, idOf } = await broughtFixture([person("ada"), person("bob")], {}, "anaconda");
  const id = idOf("ada");
  await acme.sandbox.service.management.setSwitches({ liveTokens: "one" });
  const own = await acme.behindOurBack(async (api, operation) => {
    await api.issueToken(id, acme.sandbox.service.seed.subscriptionExpiresAt, operation);
    return requireList(await api.listTokens(id, operation)).find(({ revoked }) => revoked !== true)?.id;
  });
  const live = async () => {
    const { tokens } = await acme.sandbox.service.management.snapshot();
    return tokens.filter((one) => one.userId === id && !one.revoked).map(({ tokenId }) => tokenId);
  };
  await acme.sandbox.requests();

  const refresh = { refresh: true, refreshTokens: "all" } as const;
  const preview = await acme.preview(undefined, refresh);
  expect(preview.drift.members?.findings).toMatchObject([{ kind: "tokenRevoked" }, { kind: "tokenIssued" }]);
  const note = `the token of ${ADA} has ended, and an unmanaged token is live instead: ${own} (expires ${acme.sandbox.service.seed.subscriptionExpiresAt}). Its owner may have issued it, and a new token can end it, so none is issued. To issue one nevertheless, run \`orgseat rotate\` for this person; to adopt it without its value, write ${id} into \`user_id\` of the row, and \`token: adopt\``;
  expect(previewToText(preview)).toContain(note);

  expect((await acme.up(undefined, refresh)).status).toBe("succeeded");
  const writes = (await acme.sandbox.requests()).filter(
    ({ method, call }) => method !== "GET" && call !== "token",
  );
  expect(writes).toEqual([]);
  expect(await live()).toEqual([own]);
  expect(previewToText(await acme.preview())).toContain(note);
  await expect(tokenOf(await acme.open(), ADA)).rejects.toThrow(
    `cannot print the token of ${ADA}: it has ended, and the unmanaged token ${own} is live instead. To issue a new value, run \`orgseat rotate ${ADA}\`, which can end that one`,
  );

  const adopting = acme.rosterOf([person("ada", { adoptToken: true, userId: id }), person("bob")]);
  const adoption = await acme.preview(adopting, refresh);
  expect(adoption.plan.members.map(({ label, actions }) => ({ label, actions }))).toContainEqual({
    label: ADA,
    actions: ["adoptToken", "note"],
  });

  const rotated = await rotateTokens(await acme.open(), [ADA], {});
  expect(rotated.status).toBe("succeeded");
  expect(rotated.applied?.warnings.map(({ text }) => text).join()).toContain(
    `the service ended a token of ${ADA} when it issued the new one: ${own} (`,
  );
  const [issued] = await live();
  expect(issued).not.toBe(own);
  expect(previewToText(await acme.preview(undefined, refresh))).not.toContain("an unmanaged token");
});
