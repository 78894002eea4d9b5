// @module-tag ci
/** Each step of the plain workflow, as a run on GitHub plays it, with orgseat and the sandbox service. */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { peopleRows, type TestOrganization, testOrganization } from "../../automation/organization.ts";
import { until } from "../../setup/scripted-pulumi.ts";
import { findSecrets, markedSecrets } from "../../setup/secrets.ts";
import { temporaryFile, temporaryFolder } from "../../setup/temporary.ts";
import { files } from "./files.ts";
import { type Play, play } from "./host.ts";
import { plainOf } from "./workflow.ts";

const workflow = plainOf(files);
const SETUP = ["actions/checkout", "actions/setup-node", "pulumi/actions", "npm ci --ignore-scripts"];

/** What the repository keeps as variables and secrets, and the machine therefore does not have. */
const KEPT =
  /^(PULUMI_(BACKEND_URL|CONFIG_PASSPHRASE)|ORGSEAT_(\w+_URL|ORGANIZATION_ID|PLATFORM|CLIENT_\w+))$/;

const BOT = "github-actions[bot]";
const commentSchema = z.object({ id: z.number(), login: z.string(), body: z.string() });
type Comment = z.output<typeof commentSchema>;

/** Of a person who quotes the workflow, and of another workflow with the same token. */
const OTHERS: readonly Comment[] = [
  { id: 1, login: "ada", body: "<!-- orgseat plain -->\nI removed that line." },
  { id: 2, login: BOT, body: "Coverage: 93%" },
];

/** `gh` with the comments of a file: a jq filter is read as far as the workflow needs it. */
const GH = `import { readFileSync, writeFileSync } from "node:fs";
const [file, ...args] = process.argv.slice(2);
const comments = JSON.parse(readFileSync(file, "utf8"));
const save = () => writeFileSync(file, JSON.stringify(comments));
const flag = (name) => args[args.indexOf(name) + 1];
if (args.slice(0, 3).join(" ") === "pr comment 7") {
  comments.push({ id: comments.length + 1, login: "${BOT}", body: readFileSync(flag("--body-file"), "utf8") });
  save();
} else if (args.includes("PATCH")) {
  const [, id] = /^repos\\/acme\\/people\\/issues\\/comments\\/(\\d+)$/.exec(args.find((arg) => arg.startsWith("repos/"))) ?? [];
  const [, body] = /^body=@(.*)$/.exec(flag("--field"));
  comments.find((one) => one.id === Number(id)).body = readFileSync(body, "utf8");
  save();
} else {
  if (!args.includes("repos/acme/people/issues/7/comments")) throw new Error(args.join(" "));
  const [, login] = /user\\.login == "([^"]*)"/.exec(flag("--jq"));
  const [, start] = /startswith\\("([^"]*)"\\)/.exec(flag("--jq"));
  for (const one of comments) if (one.login === login && one.body.startsWith(start)) console.log(one.id);
}
`;

class Repository {
  readonly acme: TestOrganization;
  /** The comments of the pull request. */
  readonly #comments = temporaryFile("comments.json", JSON.stringify(OTHERS));
  readonly #gh = temporaryFile("gh.mjs", GH);

  constructor(acme: TestOrganization) {
    this.acme = acme;
  }

  get comments(): readonly Comment[] {
    return z.array(commentSchema).parse(JSON.parse(readFileSync(this.#comments, "utf8")));
  }

  /** The one of the workflow. */
  get comment(): string {
    return this.comments.findLast(({ login }) => login === BOT)?.body ?? "";
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
      checkout: (folder) => copyFileSync(this.acme.file, join(folder, "people.csv")),
      // The lock file's packages are there.
      commands: { npm: "exit 0", gh: `exec "${process.execPath}" "${this.#gh}" "${this.#comments}" "$@"` },
      ...(approve && { approve }),
    });
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
  expect(repository.comments).toEqual([...OTHERS, { id: 3, login: BOT, body: repository.comment }]);

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
  // Its comment is not the last one, and the only one that changes.
  expect(repository.comments).toEqual([...OTHERS, { id: 3, login: BOT, body: repository.comment }]);
  const approval = /--approve (\S+@[\w:.-]+Z)/.exec(repository.comment)?.[1] ?? "";
  const removed = await repository.run("push", undefined, approval);
  expect(removed.up, removed.plan?.log).toMatchObject({ result: "success" });
  expect(Object.keys(await acme.members())).toHaveLength(1);
  const log = [guarded, removed].map(({ plan, up }) => `${plan?.log}${up?.log}`).join("");
  expect(findSecrets(markedSecrets, { texts: { comment: repository.comment, log } })).toEqual([]);
});

test("hands a signal of the runner to orgseat while it applies the plan", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  const stub = "#!/bin/sh\ntrap 'touch stopped; exit 130' INT\ntouch started\nwhile :; do sleep 0.05; done\n";
  writeFileSync(join(folder, "node_modules", ".bin", "orgseat"), stub, { mode: 0o755 });
  // As the runner has it: a shell with a file, which alone gets the signal.
  writeFileSync(join(folder, "step.sh"), `${workflow.jobs.up?.steps.at(-1)?.run}\n`);
  const shell = spawn("bash", ["-e", "step.sh"], { cwd: folder });
  const ended = new Promise((resolve) => shell.once("close", (code) => resolve(code)));
  await until(() => existsSync(join(folder, "started")));
  shell.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(existsSync(join(folder, "stopped"))).toBe(true);
});
