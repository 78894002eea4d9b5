/**
 * The run report: the result of each method of this run, as JSON lines in a file that the command `orgseat` names
 * (`ORGSEAT_RUN_REPORT`) and reads when the run has ended. It has codes for what the messages say in prose. It contains no
 * secret. A line is one write of an O_APPEND file; a line that cannot be written is left out, because a run must not fail
 * for it.
 */
import { appendFileSync } from "node:fs";
import { z } from "zod";
import { isAbsence } from "../api/calls/errors.ts";
import { auditLineSchema } from "../api/schemas/audit-lines.ts";
import { type StepLine, stepLineSchema } from "../member/approved.ts";
import { AdvisedError, failedCallOf, WithoutEffect } from "../resources/failures.ts";
import { PartiallyCreated } from "../resources/resource.ts";
import type { MethodWrites } from "../safety/method-writes.ts";
import { codeOf, type ErrorCode, isErrorCode } from "../util/error-codes.ts";
import { jsonLinesIn, textOfFile } from "../util/json.ts";

/** Named, because declarations would list all codes wherever a schema has it. */
interface CodeSchema extends z.ZodType<ErrorCode> {}
const codeSchema: CodeSchema = z.custom<ErrorCode>(isErrorCode);

const failureSchema = z.strictObject({
  /** The complete message. */
  text: z.string(),
  /** `ApiError.code` of a call that failed; otherwise the code of the error. */
  code: codeSchema.optional(),
  /** The HTTP status; undefined if no response came. */
  status: z.number().optional(),
  /** `error.code` of the service's own error body. */
  serviceCode: z.string().optional(),
  /** What the next step after a failed call is about. */
  advice: codeSchema.optional(),
  /** Whether the service may have executed the call anyway. */
  isEffectUnknown: z.boolean(),
  /** Whether the resource is in the state anyway, and the next update completes it. */
  isKept: z.boolean(),
  /** Whether the reason is in an earlier failure of the same run. */
  isRepetition: z.boolean(),
});

const text = z.string().optional().catch(undefined);
/** The person of a creation, as far as its inputs have one. */
const personSchema = z.object({ email: text, purpose: text, firstName: text, lastName: text, userId: text });

const entrySchema = z.strictObject({
  /** The resource's type, such as `UserToken`. */
  type: z.string(),
  operation: z.enum(["create", "update", "delete"]),
  /** The id in the state; for a creation, the new id. */
  id: z.string().optional(),
  /** Of a member. */
  ref: z.string().optional(),
  ...personSchema.shape,
  /** `gone`: a delete found nothing. `kept`: a removal that takes nothing away in the service. */
  result: z.enum(["done", "gone", "kept", "failed"]),
  failure: failureSchema.optional(),
  /** The attempts of writes that it sent, in their order. */
  writes: z.array(
    z.strictObject({
      name: z.string(),
      id: z.string().optional(),
      outcome: auditLineSchema.shape.outcome,
      /** The end of the attempt, in milliseconds since 1970. */
      at: z.number().optional(),
    }),
  ),
});
export type ReportEntry = z.output<typeof entrySchema>;
export type ReportedFailure = z.output<typeof failureSchema>;

/** A method that changes something, and its properties. */
export interface Method {
  readonly type: string;
  readonly operation: ReportEntry["operation"];
  readonly id?: string | undefined;
  readonly props: Readonly<Record<string, unknown>>;
  readonly writes: MethodWrites;
}

/** The entry of a method that succeeded. */
export function reportEntryOf(
  { type, operation, id, props, writes }: Method,
  result: ReportEntry["result"],
): ReportEntry {
  const person = operation === "create" ? personSchema.parse(props) : {};
  return { type, operation, id, ...refIn(props), ...person, result, writes: [...writes] };
}

/** The inputs of a member of a roster have it; its outputs, in what is held. */
function refIn({ ref, held }: Method["props"]): Pick<ReportEntry, "ref"> {
  const found = z.object({ ref: z.string() }).safeParse(typeof ref === "string" ? { ref } : held);
  return found.success ? { ref: found.data.ref } : {};
}

/**
 * The entry of a method that failed. @param text its message @param isRepetition whether that message only refers to an
 * earlier one
 */
export function failedReportEntryOf(
  method: Method,
  error: unknown,
  { text, isRepetition }: Pick<ReportedFailure, "text" | "isRepetition">,
): ReportEntry {
  const isKept = error instanceof PartiallyCreated;
  const cause = isKept ? error.cause : error;
  const advised = cause instanceof AdvisedError ? cause : undefined;
  const call = failedCallOf(cause);
  const entry = reportEntryOf({ ...method, id: method.id ?? (isKept ? error.id : undefined) }, "failed");
  return {
    ...entry,
    writes: isWithoutEffect(cause, method) ? entry.writes.map(refused) : entry.writes,
    failure: {
      ...{ text, isKept, isRepetition },
      ...{
        code: call?.code ?? codeOf(error),
        status: call?.status,
        serviceCode: call?.serviceCode,
      },
      advice: advised?.code,
      isEffectUnknown: call?.effectUnknown ?? false,
    },
  };
}

/** A removal fails with a 404 if that does not show that there was nothing to remove (D15). */
function isWithoutEffect(cause: unknown, { operation, type }: Method): boolean {
  if (cause instanceof WithoutEffect) return true;
  const call = failedCallOf(cause);
  return operation === "delete" && type !== "ServiceAccount" && isAbsence(call?.status);
}

function refused(write: ReportEntry["writes"][number]): ReportEntry["writes"][number] {
  return { ...write, outcome: "refused" };
}

export function appendLine(file: string, line: object): void {
  try {
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The command then has only the diagnostics.
  }
}

/** What a report says about the members of a run. */
export interface MemberReport {
  /** In their order. */
  readonly steps: readonly StepLine[];
  /** One for each method that ended. */
  readonly methods: readonly ReportEntry[];
  /** Whether no unit that takes before it gives begins any more. */
  readonly isStopped: boolean;
}

const stoppedSchema = z.strictObject({ isStopped: z.literal(true) });

/** The complete lines of a report; empty if there is no report. */
export function readMemberReport(file: string): MemberReport {
  const text = textOfFile(file);
  return {
    steps: jsonLinesIn(text, stepLineSchema),
    methods: jsonLinesIn(text, entrySchema),
    isStopped: jsonLinesIn(text, stoppedSchema).length > 0,
  };
}
