/** The checks of `orgseat doctor` for the Pulumi CLI, the stack's configuration, and its secrets. */
import { stateFault } from "../../provider/backend/state-faults.ts";
import { backendIn } from "../../provider/backend/state-files.ts";
import { secretKeys } from "../../provider/config/setting-values.ts";
import {
  CORRECT_PULUMI,
  emptyPassphrase,
  INSTALL_PULUMI,
  LOG_IN,
  NOT_IN_TIME,
  PASSPHRASE,
} from "../../provider/util/pulumi-command.ts";
import { OLDEST_TESTED } from "../../provider/util/search-path.ts";
import { counted } from "../../provider/util/text.ts";
import { takesPassphrase } from "../engine/passphrase.ts";
import type { Check, Facts } from "./facts.ts";
import { type Finding, failed, ok, unchecked } from "./report.ts";

const NOT_SELECTED = new RegExp(`no stack selected|${NOT_IN_TIME}`);

export const stackChecks: readonly Check[] = [
  { name: "Pulumi CLI", says: checkCli },
  { name: "stack configuration", says: checkConfig },
  {
    name: "stack configuration",
    says: ({ values }) =>
      secretKeys
        .map((key) => `orgseat:${key}`)
        .filter((key) => values?.get(key)?.secret === false)
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

function checkConfig(facts: Facts): Finding | [] {
  const { cli, stack, config, whoami, isNew, values } = facts;
  if (cli === undefined) return failed("missing-pulumi", "no pulumi on the PATH", INSTALL_PULUMI);
  if ("problem" in cli) return failed("missing-pulumi", cli.problem, CORRECT_PULUMI);
  if (cli.downloader !== undefined) return [];
  if (isNew) {
    if (whoami?.error !== undefined) return faultOf(whoami.error, facts, LOG_IN);
    return ok(
      `stack ${stack} does not exist yet; \`orgseat up\` creates it. Using environment variables only`,
    );
  }
  if (config === undefined) {
    const text = "no Pulumi project in this folder or above it";
    if (stack === undefined) return ok(`${text}; using environment variables only`);
    const next = `run the command in the folder of the program that has the stack ${stack}`;
    return failed("invalid-program", text, next);
  }
  if (config.error !== undefined) return checkConfigError(config.error, facts);
  if (values === undefined)
    return failed("missing-pulumi", "cannot parse the output of `pulumi config --json`", "update pulumi");
  return ok(`${counted(values.size, "orgseat value")} in ${stack ?? "the selected stack"}`);
}

function checkConfigError(error: string, facts: Facts): Finding {
  const { stack } = facts;
  if (stack === undefined && NOT_SELECTED.test(error)) {
    const next = "pass a stack: `orgseat doctor --stack <name>`";
    return unchecked(`${error}; using environment variables only`, next);
  }
  const empty = /passphrase/.test(error) ? checkEmptyPassphrase(facts) : undefined;
  const which = stack === undefined ? "" : `the stack name ${stack} and `;
  return empty ?? faultOf(error, facts, `check ${which}the backend that pulumi is logged in to`);
}

/** @param fallback the next step if nothing says more than the error */
function faultOf(error: string, { place }: Facts, fallback: string): Finding {
  const fault = stateFault(error, place ?? { stack: "", backend: "", files: [] });
  if (fault === undefined) return failed("pulumi-failed", error, fallback);
  const { cause, step, isDamaged } = fault;
  const text = cause === undefined ? error : `${error}: ${cause}`;
  return failed(isDamaged ? "invalid-state" : "pulumi-failed", text, step);
}

function needsPassphrase({ isNew = false, whoami, environment }: Facts): boolean {
  if (!isNew || whoami?.error !== undefined) return false;
  return takesPassphrase(environment.ORGSEAT_SECRETS_PROVIDER || "default", backendIn(whoami?.stdout));
}

function checkPassphrase(facts: Facts): Finding | [] {
  const isSet = [PASSPHRASE, `${PASSPHRASE}_FILE`].some((name) => facts.environment[name] !== undefined);
  if (isSet) return checkEmptyPassphrase(facts) ?? [];
  return failed(
    "invalid-configuration",
    `${PASSPHRASE} is not set; new stacks need it`,
    `set ${PASSPHRASE} or ${PASSPHRASE}_FILE, or set ORGSEAT_SECRETS_PROVIDER to a secrets provider`,
  );
}

function checkEmptyPassphrase({ environment }: Facts): Finding | undefined {
  const empty = emptyPassphrase(environment);
  return empty && failed("empty-passphrase", empty.text, empty.next);
}

function checkSecrets(facts: Facts): Finding | [] {
  const { secrets } = facts;
  if (secrets === undefined) return [];
  const empty = secrets.takePassphrase ? checkEmptyPassphrase(facts) : undefined;
  if (empty !== undefined) return empty;
  if (secrets.error === undefined) return ok("pulumi can encrypt and decrypt the secrets of the stack");
  return faultOf(secrets.error, facts, "check the access to the stack's secrets provider");
}

function checkState(facts: Facts): Finding | [] {
  const { stateError: error, stack } = facts;
  if (error === undefined) return [];
  if (error.includes(NOT_IN_TIME)) return unchecked(`an export of the state: ${error}`);
  return faultOf(error, facts, `check the state of stack ${stack} in the backend`);
}
