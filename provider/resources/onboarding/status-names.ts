/** The statuses of an Onboarding. Without packages: programs compile against them. */

export const onboardingStatuses = ["inProcess", "unavailable", "refused", "unknown"] as const;
/**
 * The status of one email of an Onboarding.
 * - `inProcess`: accepted; never sent again.
 * - `unavailable`: no seat was available, or the email has an account or is already a member.
 * - `refused`: in neither list of the response (D20).
 * - `unknown`: sent, and the response was lost or incomplete (D45).
 */
export type OnboardingStatus = (typeof onboardingStatuses)[number];
