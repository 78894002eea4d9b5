import type { PlanDocument } from "../plan/document.ts";
import type { RefreshTokens } from "../service/token-turns.ts";

export interface PreviewOptions {
  /** An override of the removal limit, or of undecided creations, as a plan printed it. */
  readonly approve?: string | undefined;
  /** Whether to leave out everyone of whom the plan takes anything. Default: false. */
  readonly noRemovals?: boolean | undefined;
  /** Whether a roster that was applied before may be applied to a stack that does not have it. Default: false. */
  readonly newStack?: boolean | undefined;
  /** Whether each member is compared with what the service can list. Default: false. */
  readonly refresh?: boolean | undefined;
  /**
   * Of a refresh, the number of tokens to read besides those of people whom the plan changes, if the service lists
   * tokens. Default: 90, other ones on each day.
   */
  readonly refreshTokens?: RefreshTokens | undefined;
  /** Gets the number of people whose tokens a refresh or an adoption has read, from 0, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The plan that must be applied, and no other: a guard refuses a plan that differs. Default: any. */
  readonly approvedPlan?: PlanDocument | undefined;
}
