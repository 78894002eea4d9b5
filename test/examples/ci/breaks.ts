/** Ways to break what the workflows and the pipeline promise: each turns one rule red. */
import { expression } from "./workflow.ts";

/** One way to break a rule, with the cells of its line. */
interface Break {
  readonly rule: string;
  readonly cells: readonly string[];
  /** The first place with this text gets the other one. */
  readonly from: string;
  readonly to: string;
}

/** A text has a rule, and below it its breaks: cells, then both texts as JSON, between bars. */
export function breaksIn(text: string): Break[] {
  let rule = "";
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("  ")) rule = line || rule;
    if (!line.startsWith("  ")) return [];
    const cells = line.trim().split(" | ");
    const [from = "", to = ""] = cells.splice(-2).map((cell) => String(JSON.parse(cell)));
    return [{ rule, cells, from, to }];
  });
}

/** The rule of a break. @throws if there is no such rule */
export function ruleOf<Rule>({ rule }: Break, rules: Readonly<Record<string, Rule>>): Rule {
  const found = rules[rule];
  if (found === undefined) throw new Error(`no rule ${rule}`);
  return found;
}

/** Cells: what, the file, and where the rule finds it. */
export const breaks = breaksIn(String.raw`
no write credential reaches a job of a pull request
  a secret under another name | plan | plan.preview | "        run: |\n          for file" | "        env:\n          X: ${expression("secrets['ORGSEAT_CLIENT_SECRET']")}\n        run: |\n          for file"
  the administrator's name | plan | plan.preview | "        run: |\n          for file" | "        env:\n          ORGSEAT_USERNAME: admin\n        run: |\n          for file"
  a secret of the whole workflow | plan | plan.preview | "jobs:\n" | "env:\n  ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}\njobs:\n"
  a passphrase that is a secret | plan | plan.preview | "PULUMI_CONFIG_PASSPHRASE: plain" | "PULUMI_CONFIG_PASSPHRASE: ${expression("vars.PASSPHRASE")}"
  the writing role | plan | plan.preview | "ORGSEAT_READ_ROLE" | "ORGSEAT_WRITE_ROLE"
  the environment that has the secret | plan | plan.preview | "    timeout-minutes: 20\n" | "    timeout-minutes: 20\n    environment: orgseat\n"
  a secret in the shared action | action | plan.preview | "      run: npm ci" | "      env:\n        ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}\n      run: npm ci"

a pull request decides nothing of its workflow: it calls the one of main, without inputs and secrets
  the workflow of the branch | preview | preview | "uses: OWNER/REPO/.github" | "uses: ./.github"
  an input that the branch could give | plan | preview | "  workflow_call:\n" | "  workflow_call:\n    inputs:\n      roster:\n        type: string\n"
  a check that some pull requests do not have | preview | preview | "    branches: [main]\n" | "    branches: [main]\n    paths: [people.csv]\n"

each job that runs orgseat seals tokens, and takes no plugin of the machine
  a night that does not seal | nightly | nightly.renew | "  ORGSEAT_REQUIRE_SEALED_TOKENS: 'true'\n" | ""
  a preview with plugins of the machine | plan | plan.preview | "      PULUMI_IGNORE_AMBIENT_PLUGINS: \"true\"\n" | ""

the plain workflow runs nothing of a fork
  a job without a guard | plain | plain.plan | "    if: github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository\n" | ""

the plain workflow applies on main alone, behind its environment, one run at a time
  no environment | plain | plain.up | "    environment: orgseat\n" | ""
  any branch | plain | plain.up | "github.ref == 'refs/heads/main' && " | ""
  a run that the next one cuts off | plain | plain.up | "cancel-in-progress: false" | "cancel-in-progress: true"

the plain workflow applies only the plan of its run
  an up without the plan | plain | plain.up | "up --plan plan.json" | "up"
  a preview that keeps another file | plain | plain.up | "path: plan.json" | "path: plan.md"

only the step of the plain workflow that applies has the service account
  each step | plain | plain.plan | "\njobs:" | "\n  ORGSEAT_CLIENT_SECRET: x\njobs:"
  the preview | plain | plain.plan | "env: { APPROVE:" | "env: { ORGSEAT_CLIENT_ID: x, APPROVE:"

the workflow of a program runs nothing of a fork, and gives no pull request the service account
  a job without a guard | program | program.preview | "    if: github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository\n" | ""
  the account for all events | program | program.preview | "github.event_name != 'pull_request' && secrets.ORGSEAT_CLIENT_SECRET || ''" | "secrets.ORGSEAT_CLIENT_SECRET"
  the account for the preview | program | program.preview | "      - name: Preview\n" | "      - name: Preview\n        env: { ORGSEAT_CLIENT_SECRET: x }\n"

the workflow of a program applies the plan of its run alone, on main, behind its environment, one run at a time
  no environment | program | program.up | "    environment: orgseat\n" | ""
  any event | program | program.up | "    if: github.event_name == 'push'\n" | ""
  any branch | program | program.up | "push: { branches: [main] }" | "push: {}"
  a run that the next one cuts off | program | program.up | "cancel-in-progress: false" | "cancel-in-progress: true"
  an up without the plan | program | program.up | "up --plan plan.json" | "up"
  a preview that keeps another file | program | program.up | "path: plan.json" | "path: preview.md"

no workflow runs with the rights of main for somebody else's pull request
  the other event in the plain one | plain | plain | "pull_request:" | "pull_request_target:"
  the other event | preview | preview | "  pull_request:" | "  pull_request_target:"

no job of a pull request runs for a fork
  that nothing guards | plan | plan.preview | "    if: github.event.pull_request.head.repo.full_name == github.repository && github.event.pull_request.base.ref == 'main'\n" | ""
  a pull request into a branch that somebody pushed | plan | plan.preview | " && github.event.pull_request.base.ref == 'main'" | ""
  a comment without the guarded job | plan | plan.comment | "    needs: preview\n" | ""

of a pull request only the roster is taken, and nothing is run
  its tools | plan | plan.preview | "          ref: main\n" | ""
  all its files | plan | plan.preview | "            /people.csv\n" | "            /\n"
  a script of it | plan | plan.preview | "      - uses: ./\n" | "      - run: node proposed/steps/run.mjs\n      - uses: ./\n"

the administrator's password is in no file
  one in the night | nightly | nightly | "          ORGSEAT_AUDIT_LOG" | "          ORGSEAT_PASSWORD: x\n          ORGSEAT_AUDIT_LOG"

no job may do more than it has to
  rights for all jobs of the plain one | plain | plain | "permissions: {}\n" | "permissions: write-all\n"
  to write contents by the plain one | plain | plain.up | "permissions: { contents: read }" | "permissions: { contents: write }"
  rights for all jobs | up | up | "permissions: {}\n\nenv" | "permissions: read-all\n\nenv"
  comments by the job that runs packages | plan | plan.preview | "      id-token: write #" | "      pull-requests: write\n      id-token: write #"
  to write contents by the comment's job | plan | plan.comment | "      contents: read\n      pull-requests" | "      contents: write\n      pull-requests"

the secret is that of the environment, for main alone, and in the step that needs it
  no environment | up | up.up | "    environment: orgseat\n" | ""
  any branch | nightly | nightly.renew | "    if: github.ref == 'refs/heads/main'\n" | ""
  all steps | nightly | nightly.report | "\nenv:\n" | "\nenv:\n  ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}\n"

what writes runs one at a time for an organization, and is never cut off
  a run that the next one cuts off | up | up.up | "cancel-in-progress: false" | "cancel-in-progress: true"
  a group of its own | nightly | nightly.renew | "group: orgseat-" | "group: nightly-"

up waits for an approval, and the wait holds up nobody
  no approval | up | up.up | "    needs: approve\n" | "    needs: preview\n"
  an environment without reviewers | up | up.up | "orgseat-approval" | "orgseat"
  one group for approval and all | up | up.up | "\nenv:\n" | "\nconcurrency:\n  group: x\n  cancel-in-progress: false\nenv:\n"

an approval that nobody else had to give is refused
  no look at the reviewers | up | up.approve | "      - name: Refuse an approval that nobody else had to give" | "      - name: Go on"
  a look that is left out at times | up | up.approve | "      - name: Refuse an approval that nobody else had to give\n" | "      - name: Refuse an approval that nobody else had to give\n        if: github.event_name == 'push'\n"

commands of packages are those that the lock file has
  npx, which asks the registry for what is not there | nightly | nightly.report | "node_modules/.bin/orgseat preview" | "npx orgseat preview"
  an install that is free to take another version | action | plan.preview | "npm ci --ignore-scripts" | "npm install --ignore-scripts"

a roster that main has left behind is refused before anything is signed in
  no look at main | up | up.up | "      - name: Refuse a roster that main has left behind" | "      - name: Go on"

up applies only the plan that was approved
  an up without the plan | up | up.up | "command: up\n          plan-file: plan.json\n" | "command: up\n"
  a preview that keeps no plan | up | up.up | "            plan.json\n" | ""

no job that runs packages has the token for comments
  a comment of the preview's job | plan | plan.preview | "          comment: \"false\"\n" | ""

reports, which name people, are files of their user alone
  one that a shell writes | nightly | nightly.report | " --out report.csv" | " > report.csv"

every write is in an audit log that is kept, whatever happens
  one that is kept after success alone | up | up.up | "        if: always()\n" | ""
  no log | nightly | nightly.renew | "          ORGSEAT_AUDIT_LOG: audit.jsonl\n" | ""

the audit log says who approved
  nobody | up | up.up | "          ORGSEAT_APPROVER: ${expression("needs.approve.outputs.approver")}\n" | ""

a night that does not succeed opens an issue, also if a job did not run
  a renewal that was cancelled | nightly | nightly.issue | "always() && github" | "failure() && github"

the signals of the runner reach a run that writes
  a shell in the plain one | plain | plain.up | "run: exec node_modules" | "run: node_modules"
  a shell in the one of a program | program | program.up | "run: exec pulumi up" | "run: pulumi up"
  a shell in the action | action | up.up | "exec node \"$GITHUB_ACTION_PATH/steps/run.mjs" | "node \"$GITHUB_ACTION_PATH/steps/run.mjs"

a comment is found by its marker, not as the last one
  the last comment | plain | plain.plan | "gh pr comment \"$NUMBER\" --body-file" | "gh pr comment \"$NUMBER\" --edit-last --body-file"
  a comment that quotes the marker | plain | plain.plan | "startswith(" | "contains("

actions are pinned by their commits
  a tag in the plain one | plain | plain.plan | "actions/setup-node@" | "actions/setup-node@v7-"
  a tag | action | plan.preview | "actions/setup-node@" | "actions/setup-node@v7-"

no checkout leaves a credential behind
  one that does | up | up.preview | "          persist-credentials: false\n" | "          fetch-depth: 1\n"

no text of others is pasted into a script
  a title | plan | plan.preview | "for file" | "echo '${expression("github.event.pull_request.title")}'; for file"

install scripts of packages do not run
  that they do | action | nightly.report | " --ignore-scripts" | ""
`);
