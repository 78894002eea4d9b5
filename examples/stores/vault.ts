// HashiCorp Vault: each token becomes an entry `orgseat/<key>` of the KV engine, version 2, at `secret`.
import * as vault from "@pulumi/vault";
import type { DeliveredMember } from "orgseat/automation";

export default ({ key, member }: DeliveredMember): void => {
  if (member.token === undefined) return;
  const dataJson = member.token.value.apply((token) => JSON.stringify({ token }));
  const entry = { mount: "secret", name: `orgseat/${key}`, dataJson, deleteAllVersions: true };
  new vault.kv.SecretV2(`${key}-token`, entry, { parent: member });
};
