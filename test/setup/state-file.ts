/** What a stack's state holds, read from its file. */
import { createDecipheriv, pbkdf2 } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";

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

/** Keys by salt and passphrase: the way from one to the other takes long, on purpose. */
const keys = new Map<string, Promise<Buffer>>();

/** A value as it stands in the state, in the clear if it is a secret. */
export async function inTheClear(file: string, passphrase: string, value: unknown): Promise<unknown> {
  const secret = secretSchema.safeParse(value);
  if (!secret.success) return value;
  const [, salt] = latestOf(file)?.secrets_providers?.state.salt.split(":") ?? [];
  if (salt === undefined) throw new Error(`${file} has a secret and no salt`);
  const of = JSON.stringify([salt, passphrase]);
  const key =
    keys.get(of) ?? promisify(pbkdf2)(passphrase, Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  keys.set(of, key);
  return JSON.parse(decrypt(await key, secret.data.ciphertext));
}

/** Pulumi's passphrase secrets: AES-256-GCM, as `v1:<nonce>:<data and tag>`. */
function decrypt(key: Buffer, ciphertext: string): string {
  const [, nonce = "", data = ""] = ciphertext.split(":");
  const bytes = Buffer.from(data, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(0, -16)).toString("utf8") + decipher.final("utf8");
}
