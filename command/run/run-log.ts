/** What the runs of one plan have said so far: each step at its place in the approved plan. */
import type { StepLine } from "../../provider/member/approved.ts";
import type { MemberReport, ReportEntry } from "../../provider/runtime/run-report.ts";
import type { Diagnostic } from "../engine/engine.ts";
import type { MemberPlan } from "../members/plan.ts";
import { MEMBER_TYPE } from "../members/state-members.ts";
import type { Plan } from "../plan/plan.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import type { MemberResult, PlanAnswers, Refusal } from "./member-results.ts";
import { placeKey, type StepPlace } from "./remaining.ts";

/** The URN of a resource by its type and logical name. */
export type UrnOfName = (type: string, name: string) => string;

export class RunLog {
  readonly lines: StepLine[] = [];
  /** By `ref`, the last one of each member. */
  readonly methods = new Map<string, ReportEntry>();
  /** The `ref`s of the members that a run was about. */
  readonly tried = new Set<string>();
  readonly #refused = new Map<string, Refusal>();
  /** By the place of a step of a later run, that of the approved plan. */
  readonly #origins = new Map<string, StepPlace>();
  readonly #diagnostics: Diagnostic[] = [];
  #isStopped = false;

  /** Whether a refused exchange has stopped those that would come next. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Why this command sends nothing of a member. */
  refuse({ ref }: MemberPlan, refusal: Refusal): void {
    this.#refused.set(ref, refusal);
  }

  /** A later run has steps of the approved plan at other places. */
  noteOrigins(origins: Iterable<readonly [string, StepPlace]>): void {
    for (const [place, origin] of origins) this.#origins.set(place, origin);
  }

  /** The end of a run about some members. */
  noteRun(
    members: readonly MemberPlan[],
    { steps, methods, isStopped }: MemberReport,
    diagnostics: readonly Diagnostic[],
    urnOfName: UrnOfName,
  ): void {
    this.#diagnostics.push(...diagnostics);
    for (const one of members) {
      this.tried.add(one.ref);
      this.#noteError(one, diagnostics, urnOfName);
    }
    this.#isStopped ||= isStopped;
    this.lines.push(...steps.map((line) => ({ ...line, ...(this.#origins.get(placeKey(line)) ?? {}) })));
    for (const method of methods) {
      if (method.ref === undefined) continue;
      // One that did not begin because of what an earlier one says adds nothing.
      const isRepetition =
        method.failure?.code === "blocked" && this.methods.get(method.ref)?.result === "failed";
      if (!isRepetition) this.methods.set(method.ref, method);
      if (method.result !== "failed") this.#refused.delete(method.ref);
    }
  }

  /** What Pulumi says of a member of whom it called no method. */
  #noteError(one: MemberPlan, diagnostics: readonly Diagnostic[], urnOfName: UrnOfName): void {
    const urn = one.member?.urn ?? urnOfName(MEMBER_TYPE, one.name);
    const error = diagnostics.find(({ severity, urn: of }) => severity === "error" && of === urn);
    if (error !== undefined) this.refuse(one, { text: error.text, code: error.code });
  }

  answers(): Pick<PlanAnswers, "lines" | "methods" | "tried" | "refused"> {
    return { lines: this.lines, methods: this.methods, tried: this.tried, refused: this.#refused };
  }

  /** Without those that the result of a person says. */
  warnings(plan: Plan, results: readonly MemberResult[]): Warning[] {
    const isSaid = ({ text }: Warning): boolean => results.some((one) => one.text?.includes(text));
    const texts = this.#diagnostics.flatMap(({ severity, text }) => (severity === "warning" ? text : []));
    return warningsIn(texts, plan.members).filter((warning) => !isSaid(warning));
  }
}
