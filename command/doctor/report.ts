/** The report of `orgseat doctor`, as text and as JSON. It contains no secret. */
import { z } from "zod";
import { type ApiErrorFields, describeError, trustStep } from "../../provider/api/calls/errors.ts";
import { type ErrorCode, isErrorCode } from "../../provider/util/error-codes.ts";

const checkSchema = z.strictObject({
  /** The subject of the check, such as `orgUrl` or `administrator`. */
  check: z.string(),
  status: z.enum(["ok", "missing", "failed", "cannot be checked"]),
  text: z.string(),
  /** The code of the error; null without one. */
  code: z.custom<ErrorCode>(isErrorCode).nullable(),
  /** The next step; null without one. */
  next: z.string().nullable(),
  /** Whether the configuration cannot work because of it. */
  blocks: z.boolean(),
});
/** The form of `orgseat doctor --json`. */
export const doctorReportSchema = z.strictObject({ ok: z.boolean(), checks: z.array(checkSchema) });

export type DoctorReport = z.output<typeof doctorReportSchema>;
/** What a check found. */
export type Finding = Omit<z.output<typeof checkSchema>, "check">;

export function ok(text: string, next: string | null = null): Finding {
  return { status: "ok", text, code: null, next, blocks: false };
}

export function failed(code: ErrorCode, text: string, next: string): Finding {
  return { status: "failed", text, code, next, blocks: true };
}

/** The call of a request that cannot be sent, because the address of its proxy is invalid. */
export const REACH = "reach the service";

export function failedCall(error: ApiErrorFields, next: string): Finding {
  const step = error.call === REACH ? "correct the variable, or unset it" : trustStep(error);
  return failed(error.code, describeError(error), step ?? next);
}

/** @param blocks whether the configuration cannot work without it */
export function missing(text: string, next: string, blocks: boolean): Finding {
  const code = blocks ? "invalid-configuration" : null;
  return { status: "missing", text, code, next, blocks };
}

export function unchecked(text: string, next: string | null = null): Finding {
  return { status: "cannot be checked", text, code: null, next, blocks: false };
}

const WIDTH = "cannot be checked".length;

/** One line per check with its code, and below it the next step, if any. @param paint colors a code */
export function formatReport({ ok: works, checks }: DoctorReport, paint = (code: string) => code): string {
  const lines = checks.flatMap(({ check, status, text, code, next }) => {
    const end = code === null ? "" : ` ${paint(`[${code}]`)}`;
    const line = `${status.padEnd(WIDTH)}  ${check}: ${text}${end}`;
    return next === null ? [line] : [line, `${" ".repeat(WIDTH)}  next: ${next}`];
  });
  const blocking = checks.filter(({ blocks }) => blocks).map(({ check }) => check);
  const conclusion = works ? "No problems found." : `Problems found: ${[...new Set(blocking)].join(", ")}.`;
  return [...lines, "", conclusion].join("\n");
}
