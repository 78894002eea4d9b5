/** The flags of each verb, as commander parses them. */

import type { ReportForm } from "../../report/report.ts";
import type { RefreshTokens } from "../../service/token-turns.ts";
import type { TakenVariables } from "../../stacks/variables.ts";
import type { NewRosterFormat } from "../../verbs/init.ts";
import type { CommonOptions, onDeletes } from "./options.ts";

/** What changes a plan; a verb has some of them. */
export interface PlanFlags extends CommonOptions {
  readonly approve?: string;
  readonly newStack?: boolean;
  readonly refresh?: boolean;
  readonly refreshTokens?: RefreshTokens;
  /** False for `--no-removals`. */
  readonly removals?: boolean;
}

export interface RunOptions extends PlanFlags {
  readonly yes?: boolean;
}

export interface InitFlags {
  readonly organization?: string;
  readonly platform?: string;
  readonly subscription?: string;
  /** `cloud`, a folder, or an address. */
  readonly backend?: string;
  readonly format?: NewRosterFormat;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly taken?: TakenVariables | undefined;
}

export interface AddFlags extends CommonOptions {
  readonly purpose?: string;
  readonly key?: string;
  readonly team?: string;
}

export interface ReclaimFlags extends CommonOptions {
  readonly lastSeen: string;
  readonly idleDays?: number;
  readonly remove?: boolean;
}

export interface UpFlags extends RunOptions {
  /** A file that `preview --plan` wrote. */
  readonly plan?: string;
  readonly planMaxAge?: string;
}

export interface PreviewFlags extends PlanFlags {
  readonly markdown?: boolean;
  readonly exitCode?: boolean;
  readonly plan?: string;
  /** A timestamp. */
  readonly at?: string;
  readonly offline?: boolean;
}

export interface OffboardFlags extends RunOptions {
  readonly by?: string;
  readonly keepMember?: boolean;
  readonly lockTimeout?: string;
}

export interface AdoptFlags extends RunOptions {
  readonly onDelete?: (typeof onDeletes)[number];
  readonly organization?: string;
  readonly subscription?: string;
  readonly onlyUnmanaged?: boolean;
}

export interface TokenFlags extends CommonOptions {
  readonly sealed?: boolean;
  readonly all?: boolean;
  readonly out?: string;
}

export interface ReportFlags extends CommonOptions {
  readonly month?: string;
  readonly tokens?: boolean;
  readonly lastSeen?: string;
  readonly idleDays?: number;
  readonly due?: string;
  readonly format?: ReportForm;
  /** A file; `-` for standard output. */
  readonly out?: string;
}

export interface ListFlags extends Omit<CommonOptions, "json"> {
  readonly filter?: string;
  /** A text has the names of fields, separated by commas. */
  readonly json?: boolean | string;
}
