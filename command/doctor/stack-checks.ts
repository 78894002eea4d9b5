/** The checks of `orgseat doctor` for the Pulumi CLI, the stack's configuration, and its secrets. */
import { SET_PASSPHRASE, stateFault } from "../../provider/backend/state-faults.ts";
import { backendIn } from "../../provider/backend/state-files.ts";
import { secretKeys } from "../../provider/config/setting-values.ts";
import { parseJson } from "../../provider/util/json.ts";
import {
  CORRECT_PULUMI,
  emptyPassphrase,
  INSTALL_PULUMI,
  isPulumiCloud,
  LOG_IN,
  NOT_IN_TIME,
  PASSPHRASE,
} from "../../provider/util/pulumi-command.ts";
import { OLDEST_TESTED } from "../../provider/util/search-path.ts";
import { counted } from "../../provider/util/text.ts";
import type { CheckRow, Facts } from "./facts.ts";
import { type Answer, configSchema } from "./pulumi.ts";
import { type Finding, failed, ok, unchecked } from "./report.ts";

const NOT_SELECTED = new RegExp(`no stack selected|${NOT_IN_TIME}`);

export const stackChecks: readonly CheckRow[] = [
  { name: "Pulumi CLI", says: checkCli },
  { name: "stack configuration", says: checkConfig },
  {
    name: "stack configuration",
    says: ({ values }) =>
      secretKeys
        .map((key) => `orgseat:${key}`)
        .filter((key) => values.get(key)?.secret === false)
        .map((key) =>
          failed(
            "invalid-configuration",
            `${key} is a secret in plain text: anyone who can read the stack's configuration file can read it`,
            `replace the secret in the service, then run \`pulumi config set --secret ${key}\``,
          ),
        ),
  },
  { name: "stack secrets", when: needsPassphrase, says: checkPassphrase },
  { name: "stack secrets", says: checkSecrets },
  { name: "stack state", says: checkState },
];

function checkCli({ cli, version }: Facts): Finding | [] {
  // The check of the configuration reports it.
  if (cli === undefined || "problem" in cli) return [];
  const { file, downloader } = cli;
  if (downloader !== undefined) {
    const text = `npm's package pulumi downloads it to ${file} when it first runs`;
    return unchecked(text, "run `npx pulumi version`, then `orgseat doctor` again");
  }
  const [found] = /\d+\.\d+\.\d+/.exec(version?.stdout ?? "") ?? [];
  if (found === undefined) return unchecked(`${file}: ${version?.error ?? "it does not print its version"}`);
  const text = `${file}, version ${found}`;
  if (found.localeCompare(OLDEST_TESTED, "en", { numeric: true }) >= 0) return ok(text);
  return ok(
    `${text}, which is older than ${OLDEST_TESTED}, the oldest with which orgseat is tested`,
    "update it (https://www.pulumi.com/docs/install/), or run `npm install pulumi@latest`",
  );
}

function checkConfig({ cli, stack, config, whoami, values, ...facts }: Facts): Finding | [] {
  if (cli === undefined) return failed("missing-pulumi", "no pulumi on the PATH", INSTALL_PULUMI);
  if ("problem" in cli) return failed("missing-pulumi", cli.problem, CORRECT_PULUMI);
  if (cli.downloader !== undefined) return [];
  if (whoami !== undefined) return checkNewStack(whoami, stack);
  if (config === undefined) {
    const text = "no Pulumi project in this folder or above it";
    if (stack === undefined) return ok(`${text}; using environment variables only`);
    const next = `run the command in the folder of the program that has the stack ${stack}`;
    return failed("invalid-program", text, next);
  }
  if (config.error !== undefined) return checkConfigError(config.error, stack, facts);
  if (!configSchema.safeParse(parseJson(config.stdout)).success)
    return failed("missing-pulumi", "cannot parse the output of `pulumi config --json`", "update pulumi");
  return ok(`${counted(values.size, "orgseat value")} in ${stack ?? "the selected stack"}`);
}

function checkNewStack({ error }: Answer, stack: string | undefined): Finding {
  if (error === undefined)
    return ok(
      `stack ${stack} does not exist yet; \`orgseat up\` creates it. Using environment variables only`,
    );
  return faultOf(error, undefined, LOG_IN);
}

function checkConfigError(
  error: string,
  stack: string | undefined,
  { environment, place }: Pick<Facts, "environment" | "place">,
): Finding {
  if (stack === undefined && NOT_SELECTED.test(error)) {
    const next = "pass a stack: `orgseat doctor --stack <name>`";
    return unchecked(`${error}; using environment variables only`, next);
  }
  const empty = /passphrase/.test(error) ? emptyPassphrase(environment) : undefined;
  if (empty !== undefined) return failed("empty-passphrase", empty.text, empty.next);
  const which = stack === undefined ? "" : `the stack name ${stack} and `;
  const fallback = `check ${which}the backend that pulumi is logged in to`;
  return faultOf(error, place, fallback);
}

/** @param fallback the next step if nothing says more than the error */
function faultOf(error: string, place: Facts["place"], fallback: string): Finding {
  const fault = stateFault(error, place ?? { stack: "", backend: "", files: [] });
  if (fault === undefined) return failed("pulumi-failed", error, fallback);
  const { cause, step, isDamaged } = fault;
  const text = cause === undefined ? error : `${error}: ${cause}`;
  return failed(isDamaged ? "invalid-state" : "pulumi-failed", text, step);
}

/** With a backend other than Pulumi Cloud, the secrets of a new stack need a passphrase. */
function needsPassphrase({ whoami, environment }: Facts): boolean {
  if (whoami === undefined || whoami.error !== undefined) return false;
  const url = backendIn(whoami.stdout);
  const { ORGSEAT_SECRETS_PROVIDER: provider = "" } = environment;
  return ["", "default"].includes(provider) ? !isPulumiCloud(url) : provider === "passphrase";
}

function checkPassphrase({ environment }: Facts): Finding | [] {
  const empty = emptyPassphrase(environment);
  if (empty !== undefined) return failed("empty-passphrase", empty.text, empty.next);
  const isMissing = [PASSPHRASE, `${PASSPHRASE}_FILE`].every((name) => environment[name] === undefined);
  if (!isMissing) return [];
  return failed(
    "invalid-configuration",
    `${PASSPHRASE} is not set; new stacks need it`,
    `set ${PASSPHRASE} or ${PASSPHRASE}_FILE, or set ORGSEAT_SECRETS_PROVIDER to a secrets provider`,
  );
}

function checkSecrets({ encryption, takesPassphrase, environment }: Facts): Finding | [] {
  if (encryption === undefined) return [];
  const empty = takesPassphrase ? emptyPassphrase(environment) : undefined;
  if (empty !== undefined) return failed("empty-passphrase", empty.text, empty.next);
  const { error } = encryption;
  if (error === undefined) return ok("pulumi can encrypt and decrypt the secrets of the stack");
  const next = /passphrase/.test(error) ? SET_PASSPHRASE : "check the access to the stack's secrets provider";
  return failed("pulumi-failed", error, next);
}

function checkState({ state, stack, place }: Facts): Finding | [] {
  if (state?.error === undefined) return [];
  if (state.error.includes(NOT_IN_TIME)) return unchecked(`an export of the state: ${state.error}`);
  return faultOf(state.error, place, `check the state of stack ${stack} in the backend`);
}
