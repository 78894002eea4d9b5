/** What the workflows promise, each as a rule that names the places if it is broken. */
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

type Rule = (files: Files) => string[];

const FORK_GUARD =
  "github.event.pull_request.head.repo.full_name == github.repository && github.event.pull_request.base.ref == 'main'";
/** The service account, which a pull request does not get. */
const ON_MAIN_ALONE = ["vars.ORGSEAT_CLIENT_ID", "secrets.ORGSEAT_CLIENT_SECRET"].map((name) =>
  expression(`github.event_name != 'pull_request' && ${name} || ''`),
);
const AFTER_GUARDED = expression("!cancelled() && needs.preview.result != 'skipped'");
const SINGLE_FORK_GUARD =
  "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository";
const CALLER = '[{"pull_request":{"branches":["main"]}},["orgseat"]]';
const ON_MAIN = "github.ref == 'refs/heads/main'";
const GROUP = `orgseat-${expression("vars.ORGSEAT_ORGANIZATION_ID")}`;

/** The workflow that is called for a pull request, and what would be one. */
const isOfPullRequests = ({ workflow }: NamedJob) =>
  "workflow_call" in workflow.on || "pull_request" in workflow.on;
/** Is no secret if every token is sealed; any other passphrase is one. */
const PUBLIC_PASSPHRASE = '"PULUMI_CONFIG_PASSPHRASE":"plain"';
const holdsSecret = (...parts: readonly unknown[]) => /\$\{\{[^}]*\bsecrets\b/.test(JSON.stringify(parts));
const writers = (files: Files) =>
  jobsOf(files).filter(({ workflow, job, steps }) => holdsSecret(workflow.env, job, steps));

/** Those of one file. */
function singlesOf(files: Files) {
  return { plain: plainOf(files), program: programOf(files) };
}

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
  /** Not even the name of one, and no secret under any name. */
  "no write credential reaches a job of a pull request": (files) =>
    where(jobsOf(files).filter(isOfPullRequests), ({ workflow, job, steps }) => {
      const all = JSON.stringify([workflow.env ?? {}, job, steps]).replace(PUBLIC_PASSPHRASE, "");
      const named =
        /ORGSEAT_(CLIENT|USERNAME|PASSWORD|API_KEY|WRITE)|AWS_(ACCESS|SECRET)|PASSPHRASE|ACCESS_TOKEN/i;
      return named.test(all) || /\bsecrets\b/i.test(all) || job.environment !== undefined;
    }),

  "a pull request decides nothing of its workflow: it calls the one of main, without inputs and secrets": (
    files,
  ) => {
    const { on, env, permissions, jobs } = callerOf(files);
    const called = workflowsOf(files).plan.on;
    const isCaller = JSON.stringify([on, Object.keys(jobs)]) === CALLER && env === undefined;
    const isOfMain = Object.values(jobs).every(
      ({ uses }) => uses === "OWNER/REPO/.github/workflows/plan.yml@main",
    );
    const isWithoutInputs = JSON.stringify(called) === '{"workflow_call":null}';
    return isCaller && isOfMain && isWithoutInputs && JSON.stringify(permissions) === "{}" ? [] : ["preview"];
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

  "no workflow runs with the rights of main for somebody else's pull request": (files) =>
    Object.entries({ ...workflowsOf(files), preview: callerOf(files), ...singlesOf(files) })
      .filter(([, { on }]) =>
        ["pull_request_target", "workflow_run", "issue_comment"].some((event) => event in on),
      )
      .map(([name]) => name),

  "the plain workflow runs nothing of a fork": (files) =>
    whereJob(files, "plain.plan", ({ job }) => job.if !== SINGLE_FORK_GUARD),

  "the plain workflow applies on main alone, behind its environment, one run at a time": (files) =>
    whereJob(files, "plain.up", ({ workflow, job }) => {
      const isGuarded = job.if === `${ON_MAIN} && needs.plan.outputs.changes == 'true'`;
      const isOne = job.concurrency?.["cancel-in-progress"] === false && workflow.concurrency === undefined;
      return !isGuarded || job.needs !== "plan" || job.environment !== "orgseat" || !isOne;
    }),

  "the plain workflow applies only the plan of its run": (files) =>
    whereJob(files, "plain.up", ({ workflow, steps }) => {
      const kept = workflow.jobs.plan?.steps.find(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
      const loaded = steps.find(({ uses }) => uses?.startsWith("actions/download-artifact@"));
      const isSame = kept?.with?.name === loaded?.with?.name && kept?.with?.path === "plan.json";
      return !isSame || !/^exec \S+\/orgseat up --plan plan\.json --yes$/.test(steps.at(-1)?.run ?? "");
    }),

  "only the step of the plain workflow that applies has the service account": (files) =>
    everyJobOf(files).flatMap(({ name, workflow, steps }) => {
      if (!name.startsWith("plain.")) return [];
      const holders = steps.filter((step) => JSON.stringify(step).includes("ORGSEAT_CLIENT"));
      const isApart = !JSON.stringify(workflow.env).includes("ORGSEAT_CLIENT");
      return isApart && holders.every((step) => step.name === "Up") ? [] : [name];
    }),

  "the workflow of a program runs nothing of a fork, and gives no pull request the service account": (
    files,
  ) =>
    whereJob(files, "program.preview", ({ workflow, job, steps }) => {
      const account = [workflow.env, job.env, ...steps.map(({ env }) => env)].flatMap((env) =>
        Object.entries(env ?? {}).flatMap(([name, value]) =>
          name.startsWith("ORGSEAT_CLIENT") ? [value] : [],
        ),
      );
      return job.if !== SINGLE_FORK_GUARD || JSON.stringify(account) !== JSON.stringify(ON_MAIN_ALONE);
    }),

  "the workflow of a program applies the plan of its run alone, on main, behind its environment, one run at a time":
    (files) =>
      whereJob(files, "program.up", ({ workflow, job, steps }) => {
        const kept = workflow.jobs.preview?.steps.find(({ uses }) => uses?.startsWith("actions/upload-"));
        const loaded = steps.find(({ uses }) => uses?.startsWith("actions/download-"));
        const isSame = kept?.with?.name === loaded?.with?.name && kept?.with?.path === "plan.json";
        const isOnMain =
          job.if === "github.event_name == 'push'" &&
          JSON.stringify(workflow.on.push) === '{"branches":["main"]}';
        const isOne = job.concurrency?.["cancel-in-progress"] === false && workflow.concurrency === undefined;
        const applies = steps.at(-1)?.run === "exec pulumi up --plan plan.json --yes --skip-preview";
        return !(isSame && isOnMain && isOne && applies && job.environment === "orgseat");
      }),

  "no job of a pull request runs for a fork": (files) =>
    where(
      jobsOf(files).filter(isOfPullRequests),
      ({ job }) => job.if !== FORK_GUARD && !(job.if === AFTER_GUARDED && job.needs === "preview"),
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

  "no job may do more than it has to": (files) => [
    ...Object.entries({ ...workflowsOf(files), ...singlesOf(files) })
      .filter(([, { permissions }]) => JSON.stringify(permissions) !== "{}")
      .map(([name]) => name),
    ...where(everyJobOf(files), ({ name, job, steps }) => {
      const needed = {
        ...(steps.some(isCheckout) ? { contents: "read" } : {}),
        ...(steps.some(({ uses }) => uses?.startsWith("aws-actions/")) ? { "id-token": "write" } : {}),
        ...(/^(plan\.comment|plain\.plan|program\.preview)$/.test(name) ? { "pull-requests": "write" } : {}),
        ...(name === "up.approve" ? { actions: "read" } : {}),
        ...(name === "nightly.issue" ? { issues: "write" } : {}),
      };
      return JSON.stringify(job.permissions) !== JSON.stringify(needed);
    }),
  ],

  "the secret is that of the environment, for main alone, and in the step that needs it": (files) =>
    where(writers(files), ({ workflow, job, steps }) => {
      const holders = steps.filter((step) => holdsSecret(step));
      const isMain = job.if === ON_MAIN || (job.needs === "approve" && workflow.jobs.preview?.if === ON_MAIN);
      const isInStep = holders.every(
        ({ run = "", env }) => run.includes("/steps/run.mjs") && /^(up|renew)$/.test(env?.COMMAND ?? ""),
      );
      return (
        job.environment !== "orgseat" ||
        !isMain ||
        !isInStep ||
        holdsSecret(workflow.env, job.env, job.outputs)
      );
    }),

  "what writes runs one at a time for an organization, and is never cut off": (files) =>
    where(
      writers(files),
      ({ job }) => job.concurrency?.group !== GROUP || job.concurrency["cancel-in-progress"],
    ),

  "up waits for an approval, and the wait holds up nobody": (files) =>
    whereJob(files, "up.up", ({ workflow, job }) => {
      const { approve } = workflow.jobs;
      const waits = job.needs === "approve" && approve?.environment === "orgseat-approval";
      return !waits || approve?.concurrency !== undefined || workflow.concurrency !== undefined;
    }),

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

  "a night that does not succeed opens an issue, also if a job did not run": (files) =>
    whereJob(files, "nightly.issue", ({ workflow, job }) => {
      const others = Object.keys(workflow.jobs).filter((name) => name !== "issue");
      const succeeded = others.map((name) => `needs.${name}.result == 'success'`).join(" && ");
      const condition = expression(`always() && ${ON_MAIN} && !(${succeeded})`);
      return JSON.stringify(job.needs) !== JSON.stringify(others) || job.if !== condition;
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
