// @module-tag ci
/** A state that is lost, on the real command: no run adds its machine users again without a word. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testOrganization } from "./organization.ts";

test("up after a lost state refuses to add a machine user again, until --approve says that it is another one", async () => {
  const acme = await testOrganization({}, undefined, "anaconda");
  acme.write([{ key: "builds", purpose: "Nightly builds" }]);
  await acme.succeed("up", "--yes");
  const count = async () => {
    const { users } = await acme.sandbox.service.management.snapshot();
    return users.filter(({ firstName }) => firstName === "Nightly builds").length;
  };
  rmSync(join(acme.folder, "state", ".pulumi"), { recursive: true });
  rmSync(acme.auditFile);

  const blocked = await acme.orgseat("up", "--yes", "--new-stack");
  expect(blocked.code, blocked.stderr).toBe(3);
  const text = blocked.stdout + blocked.stderr;
  expect(text).toContain(
    "the plan adds 1 machine user whose purpose a user in the service has, and no state knows that user",
  );
  expect(await count()).toBe(1);
  const [, approve = ""] = /If it is another machine user, run again with --approve (\S+)/.exec(text) ?? [];
  await acme.succeed("up", "--yes", "--new-stack", "--approve", approve);
  expect(await count()).toBe(2);
  await acme.succeed("preview", "--exit-code");
});
