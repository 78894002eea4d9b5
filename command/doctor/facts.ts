/** What the checks of `orgseat doctor` decide from, and the form of a check. */
import type { Environment } from "../../provider/config/setting-values.ts";
import type { Settings } from "../../provider/config/settings.ts";
import type { PulumiAnswers } from "./pulumi.ts";
import type { Finding } from "./report.ts";
import type { ServiceAnswers } from "./requests.ts";

export interface Facts extends PulumiAnswers, ServiceAnswers {
  readonly environment: Environment;
  /** Undefined: the selected stack. */
  readonly stack: string | undefined;
  readonly settings: Settings;
  /** The raw value of a configuration key, from any source; undefined if it is not set. */
  readonly written: (key: string) => string | undefined;
  readonly now: number;
}

/** One check: its name in the report, when it applies, and what it says. Without a finding it prints nothing. */
export interface CheckRow {
  readonly name: string;
  /** Default: always. */
  readonly when?: (facts: Facts) => boolean;
  readonly says: (facts: Facts) => Finding | readonly Finding[];
}
