/** What a stack's state holds, read from its file: both engines write Pulumi's own format. */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { openSecrets, type SecretsManager } from "../../sandbox/engine/secrets.ts";

const resourceSchema = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  protect: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
export type StateResource = z.output<typeof resourceSchema>;

const checkpointSchema = z.object({
  checkpoint: z.object({
    latest: z
      .object({
        secrets_providers: z.object({ state: z.object({ salt: z.string() }) }).optional(),
        resources: z.array(resourceSchema).nullish(),
      })
      .nullish(),
  }),
});
const secretSchema = z.object({
  "4dabf18193072939515e22adb298388d": z.literal("1b47061264138c4ac30d75fd1eb44270"),
  ciphertext: z.string(),
});

function latestOf(file: string) {
  return checkpointSchema.parse(JSON.parse(readFileSync(file, "utf8"))).checkpoint.latest;
}

/** The resources, the stack and the providers among them; their secrets encrypted. */
export function stateResources(file: string): StateResource[] {
  return latestOf(file)?.resources ?? [];
}

/** Changes outputs of the resources of a type in the file, as if they had been written at another time. */
export function changeOutputs(
  file: string,
  type: string,
  change: (outputs: Record<string, unknown>) => Record<string, unknown>,
): void {
  const whole = wholeSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  for (const resource of whole.checkpoint.latest.resources)
    if (resource.type === type && resource.outputs) resource.outputs = change(resource.outputs);
  writeFileSync(file, JSON.stringify(whole));
}

const wholeSchema = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({
      resources: z.array(
        z.looseObject({ type: z.string(), outputs: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  }),
});

/** By salt and passphrase: the way from one to the other takes long, on purpose. */
const opened = new Map<string, Promise<SecretsManager>>();

/** A value as it stands in the state, in the clear if it is a secret. */
export async function inTheClear(file: string, passphrase: string, value: unknown): Promise<unknown> {
  const secret = secretSchema.safeParse(value);
  if (!secret.success) return value;
  const salt = latestOf(file)?.secrets_providers?.state.salt;
  if (salt === undefined) throw new Error(`${file} has a secret and no salt`);
  const key = JSON.stringify([salt, passphrase]);
  const secrets = opened.get(key) ?? openSecrets(salt, passphrase);
  opened.set(key, secrets);
  return JSON.parse((await secrets).crypter.decrypt(secret.data.ciphertext));
}
