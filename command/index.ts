/**
 * orgseat/automation: runs organizations from scripts and CI, on Pulumi's Automation API. Each function does the same as
 * the command `orgseat` with its name.
 *
 * ```ts
 * import { up } from "orgseat/automation";
 * const { status, preview } = await up({ roster: "people.csv" });
 * ```
 */

import type { PreviewOptions } from "./preview/options.ts";
import { type Preview, previewOf } from "./preview/preview.ts";
import type { ReportOptions } from "./report/report.ts";
import type { Report, ReportedPerson } from "./report/schema.ts";
import type { ShownPerson } from "./report/texts/person.ts";
import { type OrganizationOptions, openOrganization } from "./stacks/organization.ts";
import { type AdoptAllOptions, type AdoptResult, adoptAll } from "./verbs/adopt.ts";
import { destroyAll } from "./verbs/destroy.ts";
import { addRows, type NewRows, removeRows } from "./verbs/edit-rows.ts";
import { type OffboardOptions, type OffboardResult, offboardPeople } from "./verbs/offboard.ts";
import { listPeople, showPerson } from "./verbs/people.ts";
import { type ReclaimOptions, type ReclaimResult, reclaimSeats } from "./verbs/reclaim.ts";
import { reportOf } from "./verbs/report-all.ts";
import { type SealedTokens, sealedTokensOf, tokenOf } from "./verbs/token-values.ts";
import { type RotateResult, type RotationScope, renewTokens, rotateTokens } from "./verbs/tokens.ts";
import { type UpOptions, type UpResult, upAll } from "./verbs/up.ts";

/** For functions that issue no token: an ended subscription does not prevent them. */
const ended = { acceptEndedSubscription: true } as const;
const reading = { readsSecrets: true } as const;

/** The changes that `up` would make, and what blocks them. Makes no changes in the service. @throws RosterError */
export async function preview(options: OrganizationOptions & PreviewOptions): Promise<Preview> {
  return previewOf(await openOrganization(options, reading), options);
}

/** Applies the roster, unless a guard blocks it. @throws RosterError */
export async function up(options: OrganizationOptions & UpOptions): Promise<UpResult> {
  return upAll(await openOrganization(options, reading), options);
}

/** Renews the tokens that are due, with the same values, and removes people whose access has ended. */
export async function renew(options: OrganizationOptions & UpOptions): Promise<UpResult> {
  return renewTokens(await openOrganization(options), options);
}

/** Rotates tokens: issues new values, and revokes the old ones. Writes the mark into the roster; commit it. */
export async function rotate(
  who: RotationScope,
  options: OrganizationOptions & UpOptions,
): Promise<RotateResult> {
  return rotateTokens(await openOrganization(options), who, options);
}

/**
 * Revokes tokens immediately, without waiting for a lock; then removes seats and memberships in a run. @throws for
 * protected people
 */
export async function offboard(
  who: readonly string[],
  options: OrganizationOptions & OffboardOptions,
): Promise<OffboardResult> {
  const opening = { ...ended, acceptUnreadableState: true };
  return offboardPeople(await openOrganization({ ...options, ...opening }), who, options);
}

/** Brings existing members under management, without changing the service. */
export async function adopt(options: OrganizationOptions & AdoptAllOptions): Promise<AdoptResult> {
  return adoptAll(await openOrganization(options), options);
}

/** The value of one person's token. Keep it out of logs. @throws if the person has none */
export async function token(who: string, options: OrganizationOptions): Promise<string> {
  return tokenOf(await openOrganization({ ...options, ...ended }), who);
}

/** The sealed tokens of one person or of all people, for their owners. They are not secrets. @throws as `token` */
export async function sealedTokens(
  who: string | { readonly all: true },
  options: OrganizationOptions,
): Promise<SealedTokens> {
  return sealedTokensOf(await openOrganization({ ...options, ...ended }), who);
}

/** The seats, the tokens by days left, the people, and who joined and left. */
export async function report(options: OrganizationOptions & ReportOptions): Promise<Report> {
  return reportOf(await openOrganization({ ...options, ...ended }), options);
}

/** The people of the roster and of the state, tokens that expire first come first. Sends nothing to the service. */
export async function list(
  options: OrganizationOptions & { readonly filter?: string | undefined },
): Promise<readonly ReportedPerson[]> {
  return listPeople(await openOrganization({ ...options, ...ended }), options.filter);
}

/** One person, with the history of the audit log. Sends nothing to the service. @throws for an unknown person */
export async function show(who: string, options: OrganizationOptions): Promise<ShownPerson> {
  return showPerson(await openOrganization({ ...options, ...ended }), who);
}

/** Adds rows to a roster's file. Sends nothing. @returns the unified diff */
export function add(roster: string, rows: NewRows): Promise<string> {
  return addRows(roster, rows);
}

/** Removes rows from a roster's file. Sends nothing. @param who emails, purposes, or keys @returns the unified diff */
export function remove(roster: string, who: readonly string[]): Promise<string> {
  return removeRows(roster, who);
}

/** Takes idle seats out of a roster's file, after a notice. Sends nothing. */
export async function reclaim(options: OrganizationOptions & ReclaimOptions): Promise<ReclaimResult> {
  return reclaimSeats(await openOrganization({ ...options, ...ended }), options);
}

/** Removes all people whom the stack manages. More than a few need the override of the exact list. */
export async function destroy(options: OrganizationOptions & UpOptions): Promise<UpResult> {
  return destroyAll(await openOrganization({ ...options, ...ended }), options);
}

export { CodedError, type ErrorCode } from "../provider/util/error-codes.ts";
export type { Diagnostic, Progress, StepState } from "./engine/engine.ts";
export type { PlanEntry } from "./members/entries.ts";
export type { StoppedRow } from "./members/stopped.ts";
export type { Action } from "./plan/actions.ts";
export { type PlanDocument, shortDigest } from "./plan/document.ts";
export type { Drift, DriftFinding, MemberDrift, UnmanagedMember } from "./plan/drift.ts";
export type { Violation } from "./plan/guards/violation.ts";
export type { PlannedMember } from "./plan/members.ts";
export type { Plan, Removal, SettingChange } from "./plan/plan.ts";
export type { Seats } from "./plan/seats.ts";
export { type Counts, countsOf, headline } from "./plan/texts/counts.ts";
export { type PlanJson, planToJson } from "./plan/texts/json.ts";
export { planToMarkdown } from "./plan/texts/markdown.ts";
export { planToText } from "./plan/texts/text.ts";
export type { PreviewOptions } from "./preview/options.ts";
export { readPlan, writePlan } from "./preview/plan-file.ts";
export type { Preview } from "./preview/preview.ts";
export type { FormerMember } from "./preview/resolve-members.ts";
export type { UndecidedMember } from "./preview/undecided.ts";
export { type ReportForm, type ReportOptions, reportForms } from "./report/report.ts";
export type { Report, ReportedPerson } from "./report/schema.ts";
export type { PastWrite, ShownPerson } from "./report/texts/person.ts";
export { RosterError, type ValidationIssue } from "./roster/formats/validation.ts";
export { type RosterProgramOptions, rosterProgram } from "./roster/program/program.ts";
export { parseRoster, readRoster } from "./roster/read.ts";
export type { Roster, RosterPerson } from "./roster/roster.ts";
export type { Applied, StackFailure } from "./run/apply.ts";
export type { MemberResult } from "./run/member-results.ts";
export type { AdoptionNote } from "./service/adoptable.ts";
export type { OrganizationOptions } from "./stacks/organization.ts";
export type { AdoptAllOptions, AdoptOptions, AdoptResult } from "./verbs/adopt.ts";
export type { NewRows } from "./verbs/edit-rows.ts";
export type { OffboardOptions, OffboardResult } from "./verbs/offboard.ts";
export type { ReclaimOptions, ReclaimResult } from "./verbs/reclaim.ts";
export type { Revoked } from "./verbs/revocation.ts";
export type { SealedToken, SealedTokens } from "./verbs/token-values.ts";
export type { RotateResult, RotationScope } from "./verbs/tokens.ts";
export type { RosterEdit, UpOptions, UpResult } from "./verbs/up.ts";
