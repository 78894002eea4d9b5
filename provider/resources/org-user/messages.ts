/** How messages name an OrgUser, and what its check says. */
import { inputIssue } from "../changes.ts";
import type { PlanContext } from "../contexts.ts";
import type { InputIssue } from "../resource.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import type { OrgUserInputs } from "./schema.ts";

export const names = ["purpose", "firstName", "lastName"] as const;

/** The email, otherwise the names. */
export function labelOf(user: Knowable<Partial<OrgUserInputs>>): string {
  const label = known(user.email) ?? names.flatMap((key) => known(user[key]) ?? []).join(" ");
  return label === "" ? "(not known yet)" : label;
}

export function checkIdentity({ email, purpose, firstName }: Knowable<OrgUserInputs>): InputIssue[] {
  if (email !== undefined)
    return purpose === undefined
      ? []
      : [inputIssue("purpose", "only for a machine user, which has no email")];
  if (firstName !== undefined)
    return [inputIssue("firstName", "only for a person, who has an email. Set `purpose` for a machine user")];
  return purpose === undefined
    ? [inputIssue("email", "missing. Set `email` for a person, or `purpose` for a machine user")]
    : [];
}

export function explainAdoption(news: Knowable<OrgUserInputs>, context: PlanContext): void {
  const id = known(news.adopt);
  if (id === undefined || news.onDelete === "delete") return;
  context.diagnostics.info(
    `OrgUser ${labelOf(news)}: adopts user ${id}. On removal the membership is retained; set onDelete: "delete" to end it.`,
  );
}

export function warnAboutRename(
  news: Knowable<OrgUserInputs>,
  olds: Partial<OrgUserInputs> | undefined,
  context: PlanContext,
): void {
  if (olds?.email === undefined || olds.email !== news.email) return;
  const renamed = names.filter((key) => news[key] !== unknown && news[key] !== olds[key]);
  if (renamed.length === 0) return;
  context.diagnostics.warn(
    `OrgUser ${olds.email}: orgseat sends ${renamed.join(" and ")} only when it adds the user. The service keeps the old name, because orgseat does not replace a person to change a name.`,
  );
}
