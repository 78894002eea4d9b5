/** `orgseat init`: asks for what neither a flag nor the environment has, and checks the result. */
import { isAbsolute, join, relative } from "node:path";
import { platformNames } from "../../../../provider/config/setting-values.ts";
import { CodedError } from "../../../../provider/util/error-codes.ts";
import { isPulumiCloud } from "../../../../provider/util/pulumi-command.ts";
import { counted } from "../../../../provider/util/text.ts";
import { VARIABLES_FILE } from "../../../stacks/variables.ts";
import {
  type Given,
  type InitResult,
  initFolder,
  listedProducts,
  PLATFORM_ADDRESSES,
  platformIn,
  problemOf,
  requireUsable,
  type Setup,
} from "../../../verbs/init.ts";
import type { InitFlags } from "../../line/flags.ts";
import { ROSTERS } from "../../line/options.ts";
import { print, printJson, printNote, secrets } from "../../output.ts";
import { exitCodes } from "../../results-json.ts";
import { ask, askSecret, askText, canAsk } from "../../terminal.ts";
import { printDiagnosis } from "../doctor.ts";

export async function initVerb(options: InitFlags): Promise<void> {
  const folder = process.cwd();
  requireUsable(folder, ROSTERS, givenOf(options));
  const organizationId = await organizationOf(options);
  const subscription = await answerOf(
    options,
    options.subscription,
    "End of the subscription, such as 2027-12-31",
    SUBSCRIPTION,
  );
  const asked = await setupOf(options);
  const setup = { ...asked, product: await productOf(options, organizationId, asked) };
  const { format = "csv" } = options;
  const { variables, ...result } = await initFolder(folder, { organizationId, subscription, format, setup });
  if (options.json) return printJson({ status: "succeeded", ...result });
  print(`${filesInText(result)}\n`);
  const taken = { file: join(folder, VARIABLES_FILE), names: Object.keys(variables) };
  const works = await printDiagnosis({ taken }, { ...process.env, ...variables });
  print(`\n${nextSteps(result, setup, works)}`);
  process.exitCode = works ? exitCodes.done : exitCodes.failed;
}

const ORGANIZATION = "ORGSEAT_ORGANIZATION_ID";
const SUBSCRIPTION = "ORGSEAT_SUBSCRIPTION_EXPIRES_AT";
const PLATFORM = "ORGSEAT_PLATFORM";

/** The flags, and the variables for which there is none. */
function givenOf(options: InitFlags): Given[] {
  const flags = [
    ["--organization", ORGANIZATION, options.organization],
    ["--subscription", SUBSCRIPTION, options.subscription],
    ["--platform", PLATFORM, options.platform],
  ] as const;
  const others = ["ORGSEAT_ORG_URL", "ORGSEAT_TOKEN_URL", "PULUMI_CONFIG_PASSPHRASE_FILE"];
  return [
    ...flags.map(([flag, name, value]) => ({ label: value === undefined ? name : flag, name, value })),
    ...others.map((name) => ({ label: name, name, value: undefined })),
  ].flatMap(({ label, name, value = variable(name) }) => (value === undefined ? [] : { label, name, value }));
}

/** Of the environment; undefined if it is empty. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** The flag; otherwise, at a terminal, the answer; otherwise the variable, or the default. An empty answer takes the latter. */
async function answerOf(
  options: InitFlags,
  flag: string | undefined,
  question: string,
  name: string,
  byDefault?: string,
  empty = " (empty: later)",
): Promise<string | undefined> {
  const known = variable(name) ?? byDefault;
  if (flag !== undefined || !canAsk(options)) return flag ?? known;
  for (;;) {
    const value = await askText(known === undefined ? question + empty : question, known);
    const problem =
      value === undefined ? undefined : problemOf({ label: "This", name, value }, process.cwd());
    if (problem === undefined) return value;
    printNote(`${problem}.`);
  }
}

async function organizationOf(options: InitFlags): Promise<string> {
  const question = "Organization id, from the service's admin console";
  const answer = await answerOf(options, options.organization, question, ORGANIZATION, undefined, "");
  if (answer !== undefined) return answer;
  throw new CodedError(
    "invalid-flag",
    canAsk(options)
      ? "no organization id. No files were written"
      : "--organization must be passed in to proceed: the organization id, from the service's admin console",
  );
}

async function setupOf(options: InitFlags): Promise<Setup> {
  const question = `Platform of the service (${platformNames.join(" or ")})`;
  const known = platformIn(process.env);
  const given = await answerOf(options, options.platform, question, PLATFORM, known);
  const platform = platformNames.find((name) => name === given);
  const { orgUrl, tokenUrl } = platform === undefined ? {} : PLATFORM_ADDRESSES[platform];
  // An address that the platform gives is no question.
  const value = (text: string, name: string, byDefault?: string) =>
    answerOf(options, byDefault && (variable(name) ?? byDefault), text, name);
  return {
    platform,
    orgUrl: await value("Address of the organization area", "ORGSEAT_ORG_URL", orgUrl),
    tokenUrl: await value("Address of the token endpoint", "ORGSEAT_TOKEN_URL", tokenUrl),
    clientId: await value("Client ID of the service account", "ORGSEAT_CLIENT_ID"),
    clientSecret: await secretOf(options),
    ...(await stateOf(options)),
  };
}

async function secretOf(options: InitFlags): Promise<string | undefined> {
  if (variable("ORGSEAT_CLIENT_SECRET") !== undefined) return ofShell(options, "ORGSEAT_CLIENT_SECRET");
  if (!canAsk(options)) return undefined;
  const answer = await askSecret("Client secret (not shown; empty: later)");
  secrets.add(answer);
  return answer;
}

/** A secret of the environment stays there, unless the user wants it in the file too. */
async function ofShell(options: InitFlags, name: string): Promise<string | undefined> {
  const isWanted =
    canAsk(options) &&
    options.taken?.names.includes(name) !== true &&
    (await ask(`Write ${name} of this shell into ${VARIABLES_FILE}, so that new shells have it?`));
  return isWanted ? variable(name) : undefined;
}

/** Asks only if the users have several product codes. */
async function productOf(
  options: InitFlags,
  organizationId: string,
  setup: Setup,
): Promise<string | undefined> {
  const known = variable("ORGSEAT_PRODUCT");
  if (known !== undefined || !canAsk(options)) return known;
  const codes = await listedProducts(organizationId, setup, process.env);
  if (codes.length < 2) return undefined;
  const shown = codes.map(([code, users]) => `${code} (${counted(users, "user")})`).join(", ");
  const answer = await askText(`Product code of the seat: ${shown} (empty: later)`);
  if (answer === undefined || codes.some(([code]) => code === answer)) return answer;
  throw new CodedError(
    "invalid-flag",
    `invalid product ${answer}: expected one of ${shown}. No files were written`,
  );
}

async function stateOf(
  options: InitFlags,
): Promise<Pick<Setup, "backend" | "encryption" | "passphrase" | "hasPassphrase">> {
  const question =
    "Where Pulumi keeps the state: cloud (Pulumi Cloud), a folder, or a bucket such as s3://acme-state";
  const folder = ".orgseat/state";
  const given = (await answerOf(options, options.backend, question, "PULUMI_BACKEND_URL", folder)) ?? folder;
  const backend = given === "cloud" ? "https://api.pulumi.com" : given;
  const encryption = variable("ORGSEAT_SECRETS_PROVIDER") ?? variable("PULUMI_CONFIG_PASSPHRASE_FILE");
  const hasPassphrase = variable("PULUMI_CONFIG_PASSPHRASE") !== undefined;
  if (isPulumiCloud(backend) || encryption !== undefined) return { backend, encryption, hasPassphrase };
  if (hasPassphrase)
    return { backend, hasPassphrase, passphrase: await ofShell(options, "PULUMI_CONFIG_PASSPHRASE") };
  if (!canAsk(options)) return { backend };
  const encrypting =
    "File with the passphrase of the state, or a secrets provider such as awskms://alias/acme";
  const name = "PULUMI_CONFIG_PASSPHRASE_FILE";
  const created = ` (empty: a new passphrase in ${VARIABLES_FILE})`;
  return { backend, encryption: await answerOf(options, undefined, encrypting, name, undefined, created) };
}

function filesInText({ roster, ignored, hasNewPassphrase, stateFolder }: InitResult): string {
  const kept = [
    ...(stateFolder === undefined ? [] : [shown(stateFolder)]),
    ...(hasNewPassphrase ? [`the new passphrase in ${VARIABLES_FILE}`] : []),
  ];
  return [
    `Wrote ${roster} and ${VARIABLES_FILE} (only you can read it).${ignored.length === 0 ? "" : ` Added ${ignored.join(", ")} to .gitignore.`}`,
    ...(kept.length === 0
      ? []
      : [`Keep a copy of ${kept.join(", and of ")}: the tokens cannot be read without it.`]),
  ].join("\n");
}

/** A folder as it is written here. */
function shown(folder: string): string {
  const path = relative("", folder);
  return path.startsWith("..") || isAbsolute(path) ? folder : path;
}

function nextSteps({ roster, missing }: InitResult, { backend }: Setup, works: boolean): string {
  const [held, unknown] = [true, false].map((isHeld) =>
    missing.filter((name) => (process.env[name] !== undefined) === isHeld).join(", "),
  );
  const steps = [
    ...(unknown ? [`Fill in ${VARIABLES_FILE}: ${unknown}.`] : []),
    ...(held
      ? [
          `In each new shell, load the file, and set ${held}, which it does not have: set -a; . ./${VARIABLES_FILE}; set +a`,
        ]
      : []),
    ...(isPulumiCloud(backend) ? ["Log in to Pulumi Cloud with `pulumi login`."] : []),
    ...(works ? [] : ["Check the setup again with `orgseat doctor`."]),
    `Add people to ${roster}, by hand or with \`orgseat add EMAIL\`. If the organization has members, use \`orgseat adopt\`.`,
    "Show the first plan with `orgseat preview`, and apply it with `orgseat up`.",
  ];
  return ["Next steps:", ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join("\n");
}
