/** The errors of a program that uses orgseat. */
import { RunError } from "@pulumi/pulumi";
import { type ErrorCode, withCode } from "../../provider/util/error-codes.ts";

/** Pulumi shows the message of a RunError, and the stack of every other error. */
export function programError(code: ErrorCode | undefined, message: string, options?: ErrorOptions): RunError {
  return new RunError(withCode(message, code), options);
}
