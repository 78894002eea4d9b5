// GitHub Actions: the token of a machine user becomes a secret of the repository that the row names as its team.
import * as github from "@pulumi/github";
import type { DeliveredMember } from "orgseat/automation";

export default ({ key, purpose, team, member }: DeliveredMember): void => {
  if (purpose === undefined || team === undefined || member.token === undefined) return;
  const secretName = `ORGSEAT_${key.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
  new github.ActionsSecret(
    `${key}-token`,
    { repository: team, secretName, value: member.token.value },
    { parent: member },
  );
};
