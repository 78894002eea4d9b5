// @module-tag ci
/** Each step of the plain workflow, as a run on GitHub plays it, with orgseat and the sandbox service. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peopleRows, type TestOrganization, testOrganization } from "../../automation/organization.ts";
import { findSecrets, markedSecrets } from "../../setup/secrets.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { files } from "./files.ts";
import { type Play, play } from "./host.ts";
import { plainOf } from "./workflow.ts";

const workflow = plainOf(files);
const SETUP = ["actions/checkout", "actions/setup-node", "pulumi/actions", "npm ci --ignore-scripts"];

/** What the repository keeps as variables and secrets, and the machine therefore does not have. */
const KEPT =
  /^(PULUMI_(BACKEND_URL|CONFIG_PASSPHRASE)|ORGSEAT_(\w+_URL|ORGANIZATION_ID|PLATFORM|CLIENT_\w+))$/;

class Repository {
  readonly acme: TestOrganization;
  /** Comments as `gh` writes them. */
  readonly #comment = join(temporaryFolder(), "comment.md");

  constructor(acme: TestOrganization) {
    this.acme = acme;
  }

  get comment(): string {
    return existsSync(this.#comment) ? readFileSync(this.#comment, "utf8") : "";
  }

  run(event: "pull_request" | "push" | "schedule", approve?: Play["approve"], approval = "") {
    const all = Object.entries(this.acme.variables());
    const kept = all.filter(([name]) => KEPT.test(name));
    const isSecret = (name: string) => /SECRET|PASSPHRASE/.test(name);
    return play(workflow, {
      values: {
        ...Object.fromEntries(
          kept.map(([name, value]) => [`${isSecret(name) ? "secrets" : "vars"}.${name}`, value]),
        ),
        "github.event_name": event,
        "github.ref": event === "pull_request" ? "refs/pull/7/merge" : "refs/heads/main",
        "github.repository": "acme/people",
        "github.token": "the-token",
        "inputs.approve": approval,
        ...(event === "pull_request" && {
          "github.event.pull_request.head.repo.full_name": "acme/people",
          "github.event.pull_request.number": "7",
        }),
      },
      machine: Object.fromEntries(
        all.filter(([name]) => !KEPT.test(name) && !/^ORGSEAT_(USERNAME|PASSWORD)$/.test(name)),
      ),
      roster: this.acme.file,
      // The lock file's packages are there.
      commands: { npm: "exit 0", gh: `cp plan.md "${this.#comment}"; echo "$@" > "${this.#comment}.call"` },
      ...(approve && { approve }),
    });
  }

  /** The arguments by which the comment was written. */
  get commentCall(): string {
    return readFileSync(`${this.#comment}.call`, "utf8").trim();
  }
}

test("plays a pull request, the merge, the approval, the night, a change since then, and a large removal", async () => {
  const acme = await testOrganization({ seats: 10 });
  const repository = new Repository(acme);
  acme.write(peopleRows(6));

  const proposed = await repository.run("pull_request");
  expect(proposed.plan, proposed.plan?.log).toMatchObject({
    result: "success",
    steps: [...SETUP, "Preview", "Comment", "actions/upload-artifact"],
  });
  expect(proposed.up?.result).toBe("skipped");
  expect(repository.comment).toContain("p005@acme.example");
  expect(repository.commentCall).toBe("pr comment 7 --edit-last --create-if-none --body-file plan.md");

  const refused = await repository.run("push", (environment) => environment !== "orgseat");
  expect([refused.plan?.result, refused.up?.result]).toEqual(["success", "skipped"]);
  expect(await acme.writes()).toEqual([]);

  const merged = await repository.run("push");
  expect(merged.up, merged.up?.log).toMatchObject({
    result: "success",
    steps: [...SETUP, "actions/download-artifact", "Up"],
  });
  expect(Object.keys(await acme.members())).toHaveLength(6);
  await acme.writes();

  // A person commits the line that the run prints, as docs/ci.md says.
  const [, line = ""] = /^\+(# roster: \S+)$/m.exec(merged.up?.log ?? "") ?? [];
  expect(line).not.toBe("");
  writeFileSync(acme.file, `${line}\n${acme.read()}`);
  const night = await repository.run("schedule");
  expect([night.plan?.result, night.up?.result]).toEqual(["success", "skipped"]);

  acme.write(peopleRows(7));
  const changed = await repository.run("push", (environment) => {
    // Somebody changes the roster's people while the run waits.
    if (environment === "orgseat") acme.write(peopleRows(8));
    return true;
  });
  expect(changed.up).toMatchObject({ result: "failure", log: expect.stringContaining("p007@acme.example") });
  expect(await acme.writes()).toEqual([]);

  acme.write(peopleRows(1));
  const guarded = await repository.run("pull_request");
  expect(guarded.plan).toMatchObject({ result: "failure", steps: [...SETUP, "Preview", "Comment"] });
  const approval = /--approve (\S+@[\w:.-]+Z)/.exec(repository.comment)?.[1] ?? "";
  const removed = await repository.run("push", undefined, approval);
  expect(removed.up, removed.plan?.log).toMatchObject({ result: "success" });
  expect(Object.keys(await acme.members())).toHaveLength(1);
  const log = [guarded, removed].map(({ plan, up }) => `${plan?.log}${up?.log}`).join("");
  expect(findSecrets(markedSecrets, { texts: { comment: repository.comment, log } })).toEqual([]);
});
