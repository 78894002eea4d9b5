/** What environment variables say about one run, besides the variables of configuration keys. */
import { userInfo } from "node:os";
import type { Environment } from "./setting-values.ts";

export interface RunSettings {
  /** The override of `maxRemovals` for one organization, `ORGSEAT_ALLOW_REMOVALS`. */
  readonly allowedRemovals: { readonly organizationId: string; readonly people: number } | undefined;
  /** The approved plan of a run of a roster, a file (`ORGSEAT_APPROVED_PLAN`); undefined: `maxRemovals` applies. */
  readonly approvedPlanFile: string | undefined;
  /** The audit log (`ORGSEAT_AUDIT_LOG`), and what every line contains: run, commit, Pulumi's stack. */
  readonly audit: AuditSettings | undefined;
  /** The file of the run report, for the command `orgseat` (`ORGSEAT_RUN_REPORT`). */
  readonly reportFile: string | undefined;
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
    approvedPlanFile: environment.ORGSEAT_APPROVED_PLAN || undefined,
    audit: readAudit(environment),
    reportFile: environment.ORGSEAT_RUN_REPORT || undefined,
  };
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

function parseOverride(text: string | undefined, issues: string[]): RunSettings["allowedRemovals"] {
  if (text === undefined || text === "") return undefined;
  const match = /^(.+):(\d{1,6})$/s.exec(text);
  if (match?.[1] === undefined) {
    issues.push("ORGSEAT_ALLOW_REMOVALS must be <organization id>:<number of people>");
    return undefined;
  }
  return { organizationId: match[1], people: Number(match[2]) };
}
