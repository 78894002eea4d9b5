/** Ways to break what the workflows promise: each turns one rule red. */
import type { RuleName } from "./rules.ts";
import { expression, type FileName } from "./workflow.ts";

interface Break {
  readonly rule: RuleName;
  readonly what: string;
  readonly file: FileName;
  /** The first place with this text gets the other one. */
  readonly from: string;
  readonly to: string;
  /** Where the rule finds it. */
  readonly at: string;
}

const secret = `ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}`;
const run = "        run: |\n          for file";
const runWith = (env: string) => `        env:\n          ${env}\n${run}`;

const ofPullRequests: readonly Break[] = [
  {
    what: "a secret under another name",
    from: run,
    to: runWith(`X: ${expression("secrets['ORGSEAT_CLIENT_SECRET']")}`),
  },
  { what: "the administrator's name", from: run, to: runWith("ORGSEAT_USERNAME: admin") },
  { what: "a secret of the whole workflow", from: "jobs:\n", to: `env:\n  ${secret}\njobs:\n` },
  {
    what: "a passphrase that is a secret",
    from: "PULUMI_CONFIG_PASSPHRASE: sealed",
    to: `PULUMI_CONFIG_PASSPHRASE: ${expression("vars.PASSPHRASE")}`,
  },
  { what: "the writing role", from: "ORGSEAT_READ_ROLE", to: "ORGSEAT_WRITE_ROLE" },
  {
    what: "the environment that has the secret",
    from: "    timeout-minutes: 20\n",
    to: "    timeout-minutes: 20\n    environment: orgseat\n",
  },
  {
    what: "a secret in the shared action",
    file: "action" as const,
    from: "      run: npm ci",
    to: `      env:\n        ${secret}\n      run: npm ci`,
  },
].map((one) => ({
  rule: "no write credential reaches a job of a pull request",
  file: "plan",
  at: "plan.preview",
  ...one,
}));

/** The breaks of one rule. */
function of(rule: RuleName, ...found: readonly Omit<Break, "rule">[]): Break[] {
  return found.map((one) => ({ rule, ...one }));
}

const forkGuard =
  "    if: github.event.pull_request.head.repo.full_name == github.repository && github.event.pull_request.base.ref == 'main'\n";
const onMain = "    if: github.ref == 'refs/heads/main'\n";

export const breaks: readonly Break[] = [
  ...ofPullRequests,
  ...of(
    "a pull request decides nothing of its workflow: it calls the one of main, without inputs and secrets",
    {
      ...{ what: "the workflow of the branch", file: "preview", at: "preview" },
      ...{ from: "uses: OWNER/REPO/.github", to: "uses: ./.github" },
    },
    {
      ...{ what: "an input that the branch could give", file: "plan", at: "preview" },
      ...{
        from: "  workflow_call:\n",
        to: "  workflow_call:\n    inputs:\n      roster:\n        type: string\n",
      },
    },
    {
      ...{ what: "a check that some pull requests do not have", file: "preview", at: "preview" },
      ...{ from: "    branches: [main]\n", to: "    branches: [main]\n    paths: [people.csv]\n" },
    },
  ),
  ...of(
    "each job that runs orgseat seals tokens, and takes no plugin of the machine",
    {
      ...{ what: "a night that does not seal", file: "nightly", at: "nightly.renew" },
      ...{ from: "  ORGSEAT_SEAL_TOKENS: required\n", to: "" },
    },
    {
      ...{ what: "a preview with plugins of the machine", file: "plan", at: "plan.preview" },
      ...{ from: '      PULUMI_IGNORE_AMBIENT_PLUGINS: "true"\n', to: "" },
    },
  ),
  ...of("no workflow runs with the rights of main for somebody else's pull request", {
    ...{ what: "the other event", file: "preview", at: "preview" },
    ...{ from: "  pull_request:", to: "  pull_request_target:" },
  }),
  ...of(
    "no job of a pull request runs for a fork",
    {
      ...{ what: "that nothing guards", file: "plan", at: "plan.preview" },
      ...{ from: forkGuard, to: "" },
    },
    {
      ...{ what: "a pull request into a branch that somebody pushed", file: "plan", at: "plan.preview" },
      ...{ from: " && github.event.pull_request.base.ref == 'main'", to: "" },
    },
    {
      ...{ what: "a comment without the guarded job", file: "plan", at: "plan.comment" },
      ...{ from: "    needs: preview\n", to: "" },
    },
  ),
  ...of(
    "of a pull request only the roster is taken, and nothing is run",
    {
      ...{ what: "its tools", file: "plan", at: "plan.preview" },
      ...{ from: "          ref: main\n", to: "" },
    },
    {
      ...{ what: "all its files", file: "plan", at: "plan.preview" },
      ...{ from: "            /people.csv\n", to: "            /\n" },
    },
    {
      ...{ what: "a script of it", file: "plan", at: "plan.preview" },
      ...{ from: "      - uses: ./\n", to: "      - run: node proposed/steps/run.mjs\n      - uses: ./\n" },
    },
  ),
  ...of("the administrator's password is in no file", {
    ...{ what: "one in the night", file: "nightly", at: "nightly" },
    ...{ from: "          ORGSEAT_AUDIT", to: "          ORGSEAT_PASSWORD: x\n          ORGSEAT_AUDIT" },
  }),
  ...of(
    "no job may do more than it has to",
    {
      ...{ what: "rights for all jobs", file: "up", at: "up" },
      ...{ from: "permissions: {}\n\nenv", to: "permissions: read-all\n\nenv" },
    },
    {
      ...{ what: "comments by the job that runs packages", file: "plan", at: "plan.preview" },
      ...{ from: "      id-token: write #", to: "      pull-requests: write\n      id-token: write #" },
    },
    {
      ...{ what: "to write contents by the comment's job", file: "plan", at: "plan.comment" },
      ...{
        from: "      contents: read\n      pull-requests",
        to: "      contents: write\n      pull-requests",
      },
    },
  ),
  ...of(
    "the secret is that of the environment, for main alone, and in the step that needs it",
    {
      ...{ what: "no environment", file: "up", at: "up.up" },
      ...{ from: "    environment: orgseat\n", to: "" },
    },
    { ...{ what: "any branch", file: "nightly", at: "nightly.renew" }, ...{ from: onMain, to: "" } },
    {
      ...{ what: "all steps", file: "nightly", at: "nightly.report" },
      ...{ from: "\nenv:\n", to: `\nenv:\n  ${secret}\n` },
    },
  ),
  ...of(
    "what writes runs one at a time for an organization, and is never cut off",
    {
      ...{ what: "a run that the next one cuts off", file: "up", at: "up.up" },
      ...{ from: "cancel-in-progress: false", to: "cancel-in-progress: true" },
    },
    {
      ...{ what: "a group of its own", file: "nightly", at: "nightly.renew" },
      ...{ from: "group: orgseat-", to: "group: nightly-" },
    },
  ),
  ...of(
    "up waits for an approval, and the wait holds up nobody",
    {
      ...{ what: "no approval", file: "up", at: "up.up" },
      ...{ from: "    needs: approve\n", to: "    needs: preview\n" },
    },
    {
      ...{ what: "an environment without reviewers", file: "up", at: "up.up" },
      ...{ from: "orgseat-approval", to: "orgseat" },
    },
    {
      ...{ what: "one group for approval and all", file: "up", at: "up.up" },
      ...{ from: "\nenv:\n", to: "\nconcurrency:\n  group: x\n  cancel-in-progress: false\nenv:\n" },
    },
  ),
  ...of(
    "an approval that nobody else had to give is refused",
    {
      ...{ what: "no look at the reviewers", file: "up", at: "up.approve" },
      ...{ from: "      - name: Refuse an approval that nobody else had to give", to: "      - name: Go on" },
    },
    {
      ...{ what: "a look that is left out at times", file: "up", at: "up.approve" },
      ...{
        from: "      - name: Refuse an approval that nobody else had to give\n",
        to: "      - name: Refuse an approval that nobody else had to give\n        if: github.event_name == 'push'\n",
      },
    },
  ),
  ...of(
    "commands of packages are those that the lock file has",
    {
      ...{
        what: "npx, which asks the registry for what is not there",
        file: "nightly",
        at: "nightly.report",
      },
      ...{ from: "node_modules/.bin/orgseat preview", to: "npx orgseat preview" },
    },
    {
      ...{ what: "an install that is free to take another version", file: "action", at: "plan.preview" },
      ...{ from: "npm ci --ignore-scripts", to: "npm install --ignore-scripts" },
    },
  ),
  ...of("a roster that main has left behind is refused before anything is signed in", {
    ...{ what: "no look at main", file: "up", at: "up.up" },
    ...{ from: "      - name: Refuse a roster that main has left behind", to: "      - name: Go on" },
  }),
  ...of(
    "up applies only the plan that was approved",
    {
      ...{ what: "an up without the plan", file: "up", at: "up.up" },
      ...{ from: "command: up\n          plan-file: plan.json\n", to: "command: up\n" },
    },
    {
      ...{ what: "a preview that keeps no plan", file: "up", at: "up.up" },
      ...{ from: "            plan.json\n", to: "" },
    },
  ),
  ...of("no job that runs packages has the token for comments", {
    ...{ what: "a comment of the preview's job", file: "plan", at: "plan.preview" },
    ...{ from: '          comment: "false"\n', to: "" },
  }),
  ...of(
    "every write is in an audit log that is kept, whatever happens",
    {
      ...{ what: "one that is kept after success alone", file: "up", at: "up.up" },
      ...{ from: "        if: always()\n", to: "" },
    },
    {
      ...{ what: "no log", file: "nightly", at: "nightly.renew" },
      ...{ from: "          ORGSEAT_AUDIT: audit.jsonl\n", to: "" },
    },
  ),
  ...of("a night that does not succeed opens an issue, also if a job did not run", {
    ...{ what: "a renewal that was cancelled", file: "nightly", at: "nightly.issue" },
    ...{ from: "always() && github", to: "failure() && github" },
  }),
  ...of("actions are pinned by their commits", {
    ...{ what: "a tag", file: "action", at: "plan.preview" },
    ...{ from: "@820762786026740c76f36085b0efc47a31fe5020", to: "@v7" },
  }),
  ...of("no checkout leaves a credential behind", {
    ...{ what: "one that does", file: "up", at: "up.preview" },
    ...{ from: "          persist-credentials: false\n", to: "          fetch-depth: 1\n" },
  }),
  ...of("no text of others is pasted into a script", {
    ...{ what: "a title", file: "plan", at: "plan.preview" },
    ...{ from: "for file", to: `echo '${expression("github.event.pull_request.title")}'; for file` },
  }),
  ...of("install scripts of packages do not run", {
    ...{ what: "that they do", file: "action", at: "nightly.report" },
    ...{ from: " --ignore-scripts", to: "" },
  }),
];
