/** Checks which Pulumi CLI orgseat uses, and whether it is too old. */
import { OLDEST_TESTED } from "../util/search-path.ts";
import { type Check, ok, unchecked } from "./report.ts";

interface Answer {
  readonly stdout: string;
  readonly error: string | undefined;
}

const NAME = "Pulumi CLI";

/** @param answer the output of `pulumi version`, or why it failed */
export function checkCli(file: string, { stdout, error }: Answer): Check {
  const [found] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  if (found === undefined) return unchecked(NAME, `${file}: ${error ?? "it does not print its version"}`);
  if (!isOlder(found, OLDEST_TESTED)) return ok(NAME, `${file}, version ${found}`);
  return ok(
    NAME,
    `${file}, version ${found}, which is older than ${OLDEST_TESTED}, the oldest with which orgseat is tested`,
    "update it (https://www.pulumi.com/docs/install/), or run `npm install pulumi@latest`",
  );
}

/** For a CLI that npm's package has not downloaded yet: `orgseat doctor` downloads nothing. */
export function awaitsDownload(file: string): Check {
  const text = `npm's package pulumi downloads it to ${file} when it first runs`;
  return unchecked(NAME, text, "run `npx pulumi version`, then `orgseat doctor` again");
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
