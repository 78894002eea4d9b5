/** The configuration of a Provider of the packaged plugin. Its arguments are named like the keys: `orgUrl`. */
import { holdsUnknown } from "../resources/unknown.ts";
import { readSettings } from "../settings.ts";
import type { Props } from "./wire.ts";

/** A value by its full key: `orgseat:orgUrl`. SDKs pass numbers as numbers or as JSON. */
export function configOf(args: Props): (key: string) => string | undefined {
  return (key) => {
    const value = args[key.replace(/^orgseat:/, "")] ?? undefined;
    return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
  };
}

/** Whether a Provider has arguments of a program, and not the stack's configuration. @param name that of its URN */
export function isExplicit(name: string): boolean {
  return !/^default(_|$)/.test(name);
}

/** What is wrong with the arguments, one sentence each. */
export function issuesOf(args: Props, name: string): readonly string[] {
  // Arguments that are not known yet can complete those that are.
  if (holdsUnknown(args)) return [];
  return readSettings(configOf(args), process.env, { isProvider: isExplicit(name) }).issues;
}
