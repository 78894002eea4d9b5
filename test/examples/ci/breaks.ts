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
function breaksIn(text: string): Break[] {
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
a job runs on the conditions and has the rights of the table
  a secret under another name | plan | plan.preview | "        run: |\n          for file" | "        env:\n          X: ${expression("secrets['ORGSEAT_CLIENT_SECRET']")}\n        run: |\n          for file"
  a secret of the whole workflow | plan | plan | "jobs:\n" | "env:\n  ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}\njobs:\n"
  the environment that has the secret | plan | plan.preview | "    timeout-minutes: 20\n" | "    timeout-minutes: 20\n    environment: orgseat\n"
  a secret in the shared action | action | plan.preview | "      run: npm ci" | "      env:\n        ORGSEAT_CLIENT_SECRET: ${expression("secrets.ORGSEAT_CLIENT_SECRET")}\n      run: npm ci"
  the workflow of the branch | preview | preview.orgseat | "uses: OWNER/REPO/.github" | "uses: ./.github"
  an input that the branch could give | plan | plan | "  workflow_call:\n" | "  workflow_call:\n    inputs:\n      roster:\n        type: string\n"
  no environment | plain | plain.up | "    environment: orgseat\n" | ""
  the account for all events | program | program | "github.event_name != 'pull_request' && secrets.ORGSEAT_CLIENT_SECRET || ''" | "secrets.ORGSEAT_CLIENT_SECRET"
  the other event | preview | preview | "  pull_request:" | "  pull_request_target:"
  that nothing guards | plan | plan.preview | "    if: github.event.pull_request.head.repo.full_name == github.repository && github.event.pull_request.base.ref == 'main'\n" | ""
  a comment without the guarded job | plan | plan.comment | "    needs: preview\n" | ""
  to write contents by the plain one | plain | plain.up | "permissions: { contents: read }" | "permissions: { contents: write }"
  rights for all jobs | up | up | "permissions: {}\n\nenv" | "permissions: read-all\n\nenv"
  comments by the job that runs packages | plan | plan.preview | "      id-token: write #" | "      pull-requests: write\n      id-token: write #"
  no environment | up | up.up | "    environment: orgseat\n" | ""
  a run that the next one cuts off | up | up.up | "cancel-in-progress: false" | "cancel-in-progress: true"
  an environment without reviewers | up | up.approve | "orgseat-approval" | "orgseat"
  a renewal that was cancelled | nightly | nightly.issue | "always() && github" | "failure() && github"

each job that runs orgseat seals tokens, and takes no plugin of the machine
  a night that does not seal | nightly | nightly.renew | "  ORGSEAT_REQUIRE_SEALED_TOKENS: 'true'\n" | ""
  a preview with plugins of the machine | plan | plan.preview | "      PULUMI_IGNORE_AMBIENT_PLUGINS: \"true\"\n" | ""

a workflow in one file applies only the plan of its run
  an up without the plan | plain | plain.up | "up --plan plan.json" | "up"
  a preview that keeps another file | plain | plain.up | "path: plan.json" | "path: plan.md"
  an up of a program without the plan | program | program.up | "up --plan plan.json" | "up"

of a pull request only the roster is taken, and nothing is run
  its tools | plan | plan.preview | "          ref: main\n" | ""
  all its files | plan | plan.preview | "            /people.csv\n" | "            /\n"
  a script of it | plan | plan.preview | "      - uses: ./\n" | "      - run: node proposed/steps/run.mjs\n      - uses: ./\n"

the administrator's password is in no file
  one in the night | nightly | nightly | "          ORGSEAT_AUDIT_LOG" | "          ORGSEAT_PASSWORD: x\n          ORGSEAT_AUDIT_LOG"

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
