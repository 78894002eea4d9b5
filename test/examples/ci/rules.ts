/** What the workflows promise: the rights of each job, as one table, and rules that name the places if they are broken. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  callerOf,
  everyJobOf,
  expression,
  type Files,
  jobsOf,
  type NamedJob,
  plainOf,
  programOf,
  type Step,
  workflowsOf,
} from "./workflow.ts";

/** What gives a right at the service, at the state, or at GitHub. */
const RIGHTS =
  /\b(?:secrets\W+\w+|vars\.\w+_ROLE|ORGSEAT_(?:CLIENT_\w+|USERNAME|PASSWORD|API_KEY)|AWS_(?:ACCESS|SECRET)\w*)/g;
const rightsIn = (part: unknown = {}) => [
  ...new Set(
    JSON.stringify(part)
      .match(RIGHTS)
      ?.map((name) => name.replace(/^secrets\W+/, "secrets.")),
  ),
];
const words = (value: unknown) =>
  JSON.stringify(value ?? {})
    .replaceAll(/"description":"[^"]*"|[{}"]/g, "")
    .replaceAll("$ ", "")
    .trim();

/** By workflow and by job: when it runs, with which rights of GitHub, one at a time or not, and which step holds which right. */
const table = readFileSync(join(import.meta.dirname, "rights.txt"), "utf8");

interface Facts {
  readonly permissions?: string | Readonly<Record<string, string>> | undefined;
  readonly concurrency?: object | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** The last cells of a row: what it may do, and which variables, with their conditions, hold a right. */
function cellsOf({ permissions = "all", concurrency, env = {} }: Facts): string[] {
  const held = Object.entries(env).flatMap((entry) =>
    rightsIn(entry).length > 0 ? words(Object.fromEntries([entry])) : [],
  );
  return [`may ${words(permissions) || "nothing"}`, words(concurrency), ...held];
}

/** The rows of the table, as the files have them. */
function factsOf(files: Files): string[] {
  const singles = { preview: callerOf(files), plain: plainOf(files), program: programOf(files) };
  const ofWorkflows = Object.entries({ ...workflowsOf(files), ...singles }).map(([name, workflow]) => [
    name,
    `on ${words(workflow.on)}`,
    ...cellsOf(workflow),
  ]);
  const calls = Object.entries(singles.preview.jobs).map(([name, { uses, ...job }]) => [
    `preview.${name}`,
    uses,
    ...cellsOf(job),
  ]);
  const ofJobs = everyJobOf(files).map(({ name, job, steps }) => {
    const { if: when = "", needs = [], environment, outputs } = job;
    const holders = steps.flatMap((step) => {
      const held = rightsIn(step).join(" ");
      return held === "" ? [] : [`${step.name ?? step.uses?.replace(/@.*/, "")}: ${held}`];
    });
    return [
      name,
      when.replace(/^\$\{\{ (.*) \}\}$/, "$1"),
      ["after", needs]
        .flat()
        .join(" ")
        .replace(/^after$/, ""),
      environment === undefined ? "" : `in ${environment}`,
      ...[...cellsOf(job), ...holders, ...rightsIn(outputs)],
    ];
  });
  return [...ofWorkflows, ...calls, ...ofJobs].map((cells) =>
    cells.filter((cell) => cell !== "").join(" | "),
  );
}

type Rule = (files: Files) => string[];

const holdsSecret = (step: Step) => /\bsecrets\b/.test(JSON.stringify(step));
const writers = (files: Files) => jobsOf(files).filter(({ steps }) => steps.some(holdsSecret));

const isOfPullRequests = ({ workflow }: NamedJob) => "workflow_call" in workflow.on;

function where(jobs: readonly NamedJob[], isBroken: (job: NamedJob) => boolean): string[] {
  return jobs.filter(isBroken).map(({ name }) => name);
}

/** Of one job: `<workflow>.<job>`. */
function whereJob(files: Files, wanted: string, isBroken: (job: NamedJob) => boolean): string[] {
  return where(
    everyJobOf(files).filter(({ name }) => name === wanted),
    isBroken,
  );
}

/** Of all workflows. */
function whereSteps(files: Files, isBroken: (step: Step) => boolean): string[] {
  return where(everyJobOf(files), ({ steps }) => steps.some((step) => isBroken(step)));
}

export const rules = {
  "a job runs on the conditions and has the rights of the table": (files) => {
    const [expected, found] = [table.trim().split("\n"), factsOf(files)];
    const differing = [...new Set(expected).symmetricDifference(new Set(found))];
    return differing.map((row) => row.replace(/ \|.*/, ""));
  },

  "each job that runs orgseat seals tokens, and takes no plugin of the machine": (files) =>
    where(jobsOf(files), ({ workflow, job, steps }) => {
      const env = { ...workflow.env, ...job.env };
      const runsOrgseat = steps.some(({ run = "" }) => /run\.mjs|\.bin\/orgseat/.test(run));
      const isSealed =
        env.ORGSEAT_REQUIRE_SEALED_TOKENS === "true" &&
        env.PULUMI_CONFIG_PASSPHRASE === "plain" &&
        env.PULUMI_IGNORE_AMBIENT_PLUGINS === "true";
      return runsOrgseat && !isSealed;
    }),

  "a workflow in one file applies only the plan of its run": (files) =>
    where(
      everyJobOf(files).filter(({ name }) => /^(plain|program)\.up$/.test(name)),
      ({ workflow, steps }) => {
        const kept = Object.values(workflow.jobs)[0]?.steps.find(({ uses }) =>
          uses?.startsWith("actions/upload-"),
        );
        const loaded = steps.find(({ uses }) => uses?.startsWith("actions/download-"));
        const isSame = kept?.with?.name === loaded?.with?.name && kept?.with?.path === "plan.json";
        const applies = /^exec (\S+\/orgseat|pulumi) up --plan plan\.json --yes( --skip-preview)?$/;
        return !isSame || !applies.test(steps.at(-1)?.run ?? "");
      },
    ),

  "of a pull request only the roster is taken, and nothing is run": (files) =>
    where(
      jobsOf(files).filter(isOfPullRequests),
      ({ steps }) =>
        steps.filter(isCheckout).some((step, index) => {
          const { ref, path, "sparse-checkout": only } = step.with ?? {};
          if (index === 0) return ref !== "main" || path !== undefined;
          return path !== "proposed" || only !== "/people.csv\n/people.offboarded.csv\n";
        }) || steps.filter(({ run = "" }) => run.includes("proposed")).length > 1,
    ),

  "the administrator's password is in no file": (files) =>
    Object.entries(files)
      .filter(([, text]) => /ORGSEAT_(USERNAME|PASSWORD)|admin\w*[ _-]?password/i.test(text))
      .map(([name]) => name),

  "an approval that nobody else had to give is refused": (files) =>
    whereJob(
      files,
      "up.approve",
      ({ steps: [first] }) =>
        first?.name !== "Refuse an approval that nobody else had to give" || first.if !== undefined,
    ),

  "commands of packages are those that the lock file has": (files) =>
    whereSteps(files, ({ run = "" }) =>
      run
        .split("\n")
        .some(
          (line) =>
            /\b(npx|npm (exec|x|install|i|add|update))\b/.test(line) || /(^|[;&|(])\s*orgseat\b/.test(line),
        ),
    ),

  "a roster that main has left behind is refused before anything is signed in": (files) =>
    whereJob(
      files,
      "up.up",
      ({ steps }) =>
        steps.findIndex(({ name }) => name === "Refuse a roster that main has left behind") !== 1,
    ),

  "up applies only the plan that was approved": (files) =>
    whereJob(files, "up.up", ({ workflow, job, steps }) => {
      const plan = steps.find(({ env }) => env?.COMMAND === "up")?.env?.PLAN_FILE;
      const isKept = workflow.jobs.preview?.steps.some(
        ({ with: inputs }) => inputs?.name === "plan" && inputs.path === "plan.md\nplan.json\n",
      );
      const isLoaded = steps.some(
        (step) => step.uses?.startsWith("actions/download-artifact@") && step.with?.name === "plan",
      );
      return job.needs !== "approve" || plan !== "plan.json" || !isLoaded || !isKept;
    }),

  "no job that runs packages has the token for comments": (files) =>
    where(
      jobsOf(files),
      ({ steps }) =>
        steps.some(({ run = "" }) => /\bnpm\b/.test(run)) &&
        steps.some(({ env }) => env?.COMMENT_TOKEN !== undefined),
    ),

  "reports, which name people, are files of their user alone": (files) =>
    whereSteps(files, ({ run = "" }) => /orgseat report\b(?!.*--out )/.test(run)),

  "every write is in an audit log that is kept, whatever happens": (files) =>
    where(writers(files), ({ steps }) => {
      const log = steps.find((step) => holdsSecret(step))?.env?.ORGSEAT_AUDIT_LOG;
      const isKept = (step: Step) => step.with?.path?.split("\n").includes(log ?? "");
      return !steps.some((step) => step.if === "always()" && log !== undefined && isKept(step));
    }),

  "the audit log says who approved": (files) =>
    where(writers(files), ({ job, steps }) => {
      const approver = steps.find((step) => holdsSecret(step))?.env?.ORGSEAT_APPROVER;
      return job.needs === "approve" && approver !== expression("needs.approve.outputs.approver");
    }),

  /** A shell would keep them from it: a killed run leaves its lock. */
  "the signals of the runner reach a run that writes": (files) =>
    whereSteps(
      files,
      ({ run = "" }) =>
        /run\.mjs|\.bin\/orgseat (?!preview|report)|pulumi up/.test(run) && !/^exec [^\n]+\n?$/.test(run),
    ),

  "a comment is found by its marker, not as the last one": (files) =>
    whereSteps(
      files,
      ({ run = "" }) =>
        /--edit-last|--delete-last/.test(run) || (/gh pr comment/.test(run) && !/startswith\(/.test(run)),
    ),

  "actions are pinned by their commits": (files) =>
    whereSteps(
      files,
      ({ uses }) =>
        uses !== undefined && !uses.startsWith("./") && !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(uses),
    ),

  "no checkout leaves a credential behind": (files) =>
    whereSteps(files, (step) => isCheckout(step) && step.with?.["persist-credentials"] !== "false"),

  "no text of others is pasted into a script": (files) =>
    whereSteps(files, ({ run = "" }) => run.includes("${{")),

  "install scripts of packages do not run": (files) =>
    whereSteps(files, ({ run = "" }) => /\bnpm (ci|install|i)\b(?!.*--ignore-scripts)/.test(run)),
} as const satisfies Readonly<Record<string, Rule>>;

function isCheckout({ uses = "" }: Step): boolean {
  return uses.startsWith("actions/checkout@");
}
