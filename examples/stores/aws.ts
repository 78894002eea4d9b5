// AWS Secrets Manager: each token becomes the current version of the secret `orgseat/<key>`.
import * as aws from "@pulumi/aws";
import type { DeliveredMember } from "orgseat/automation";

export default ({ key, member }: DeliveredMember): void => {
  if (member.token === undefined) return;
  const parent = { parent: member };
  // Without a recovery window, the name is free again at once if the person comes back.
  const settings = { name: `orgseat/${key}`, recoveryWindowInDays: 0 };
  const secret = new aws.secretsmanager.Secret(`${key}-secret`, settings, parent);
  const secretString = member.token.value;
  new aws.secretsmanager.SecretVersion(`${key}-token`, { secretId: secret.id, secretString }, parent);
};
