/** What environment variables say about one run, besides the variables of configuration keys. */
import { userInfo } from "node:os";
import { INSTANT_FORM, instantMs, parseInstant } from "../util/instants.ts";
import type { Environment } from "./setting-values.ts";

export interface RunSettings {
  /** The override of `maxRemovals` for one organization, `ORGSEAT_ALLOW_REMOVALS`. */
  readonly allowedRemovals: { readonly organizationId: string; readonly people: number } | undefined;
  /** The approved changes of this run, a file (`ORGSEAT_APPROVED_CHANGES`); undefined: `maxRemovals` applies. */
  readonly approvedChangesFile: string | undefined;
  /** When the plan of this run was made (`ORGSEAT_PLAN_TIME`), in milliseconds since 1970: dates are judged at this time. */
  readonly planTime: number | undefined;
  /** The audit log (`ORGSEAT_AUDIT_LOG`), and what every line contains: run, commit, Pulumi's stack. */
  readonly audit: AuditSettings | undefined;
  /** The file of the run report, for the command `orgseat` (`ORGSEAT_RUN_REPORT`). */
  readonly reportFile: string | undefined;
  /** Whether this run only adopts existing resources and writes nothing (`ORGSEAT_ADOPT_ONLY`). */
  readonly adoptOnly: boolean;
  /** The members that the command `orgseat` has read for this run, a file (`ORGSEAT_MEMBERS_FILE`). */
  readonly membersFile: string | undefined;
  /** The users of the stack whom this run does not compare, a file of the command `orgseat` (`ORGSEAT_OTHER_USERS`). */
  readonly otherUsersFile: string | undefined;
}

interface AuditSettings {
  readonly file: string;
  readonly run?: string | undefined;
  readonly commit?: string | undefined;
  readonly stack?: string | undefined;
  /** Who started the run. */
  readonly actor?: string | undefined;
  /** Who approved its plan. */
  readonly approver?: string | undefined;
  /** The digest of its plan. */
  readonly plan?: string | undefined;
}

/** Adds a sentence to `issues` for each invalid value. */
export function readRunSettings(environment: Environment, issues: string[]): RunSettings {
  return {
    allowedRemovals: parseOverride(environment.ORGSEAT_ALLOW_REMOVALS, issues),
    approvedChangesFile: environment.ORGSEAT_APPROVED_CHANGES || undefined,
    planTime: readPlanTime(environment, issues),
    audit: readAudit(environment),
    reportFile: environment.ORGSEAT_RUN_REPORT || undefined,
    adoptOnly: readSwitch("ORGSEAT_ADOPT_ONLY", environment, issues),
    membersFile: environment.ORGSEAT_MEMBERS_FILE || undefined,
    otherUsersFile: environment.ORGSEAT_OTHER_USERS || undefined,
  };
}

function readPlanTime({ ORGSEAT_PLAN_TIME: text }: Environment, issues: string[]): number | undefined {
  if (!text) return undefined;
  const instant = parseInstant(text);
  if (instant === undefined) issues.push(`ORGSEAT_PLAN_TIME: expected ${INSTANT_FORM}`);
  return instant === undefined ? undefined : instantMs(instant);
}

/** How CI systems name the person who started the pipeline. */
const ACTOR_VARIABLES = ["ORGSEAT_ACTOR", "GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILD_REQUESTEDFOR"];

function readAudit(environment: Environment): AuditSettings | undefined {
  const { ORGSEAT_AUDIT_LOG, ORGSEAT_RUN_ID, ORGSEAT_COMMIT, ORGSEAT_PLAN, ORGSEAT_APPROVER, PULUMI_STACK } =
    environment;
  if (!ORGSEAT_AUDIT_LOG) return undefined;
  return {
    file: ORGSEAT_AUDIT_LOG,
    run: ORGSEAT_RUN_ID || undefined,
    commit: ORGSEAT_COMMIT || undefined,
    stack: PULUMI_STACK || undefined,
    actor: ACTOR_VARIABLES.map((name) => environment[name]).find((value) => value) ?? localUser(),
    approver: ORGSEAT_APPROVER || undefined,
    plan: ORGSEAT_PLAN || undefined,
  };
}

function localUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container can run under a user id without a name.
    return undefined;
  }
}

function readSwitch(name: string, environment: Environment, issues: string[]): boolean {
  const text = environment[name] ?? "";
  if (text !== "" && text !== "1") issues.push(`${name} must be 1 or unset`);
  return text === "1";
}

function parseOverride(text: string | undefined, issues: string[]): RunSettings["allowedRemovals"] {
  if (text === undefined || text === "") return undefined;
  const match = /^(.+):(\d{1,6})$/s.exec(text);
  if (match?.[1] === undefined) {
    issues.push("ORGSEAT_ALLOW_REMOVALS must be <organization id>:<number of people>");
    return undefined;
  }
  return { organizationId: match[1], people: Number(match[2]) };
}
