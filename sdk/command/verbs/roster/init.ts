/** `orgseat init`. */
import { CodedError } from "../../../../provider/util/error-codes.ts";
import { type InitResult, initFolder, type NewRosterFormat } from "../../../automation/verbs/init.ts";
import type { InitFlags } from "../../line/flags.ts";
import { newRosterFormats, ROSTERS } from "../../line/options.ts";
import { print, printJson } from "../../output.ts";
import { askText, canAsk } from "../../terminal.ts";

export async function initVerb(options: InitFlags): Promise<void> {
  const organizationId = await organizationOf(options);
  const format = await formatOf(options);
  const folder = process.cwd();
  const result = await initFolder(folder, { organizationId, rosters: ROSTERS, format });
  if (options.json) printJson({ status: "succeeded", ...result });
  else print(textOf(result));
}

async function organizationOf(options: InitFlags): Promise<string> {
  const known = options.organization ?? (process.env.ORGSEAT_ORGANIZATION_ID || undefined);
  if (options.organization !== undefined || !canAsk(options)) {
    if (known !== undefined) return known;
    throw new CodedError(
      "invalid-flag",
      "--organization must be passed in to proceed: the organization id, from the service's admin console",
    );
  }
  const answer = await askText("Organization id, from the service's admin console", known);
  if (answer === undefined) throw new CodedError("invalid-flag", "no organization id. No files were written");
  return answer;
}

async function formatOf({ format, ...options }: InitFlags): Promise<NewRosterFormat> {
  if (format !== undefined || !canAsk(options)) return format ?? "csv";
  const answer = await askText(`Format of the roster (${newRosterFormats.join(" or ")})`, "csv");
  const found = newRosterFormats.find((one) => one === answer?.toLowerCase());
  if (found === undefined)
    throw new CodedError(
      "invalid-flag",
      `invalid format ${answer}: expected ${newRosterFormats.join(" or ")}. No files were written`,
    );
  return found;
}

function textOf({ roster, ignored }: InitResult): string {
  return [
    `Created ${roster}.${ignored.length === 0 ? "" : ` Added ${ignored.join(", ")} to .gitignore.`}`,
    "",
    "Next steps:",
    `  1. Add people to ${roster}: an email, or a purpose and a key for a machine user.`,
    "  2. Choose where Pulumi stores the state: run `pulumi login`, or set PULUMI_BACKEND_URL. Without Pulumi Cloud,",
    "     set PULUMI_CONFIG_PASSPHRASE too.",
    "  3. Set ORGSEAT_PLATFORM, ORGSEAT_ORG_URL, ORGSEAT_TOKEN_URL, ORGSEAT_CLIENT_ID, and ORGSEAT_CLIENT_SECRET.",
    "  4. Check the setup with `orgseat doctor`.",
    "  5. Show the first plan with `orgseat preview`.",
  ].join("\n");
}
