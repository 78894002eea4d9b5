/** Checkpoints of a stack that no engine has made, and secrets that take no time. */
export const type = "pulumi-nodejs:test:Thing";
export const urnOf = (name: string) => `urn:pulumi:dev::test::${type}::${name}`;

/** Never the same ciphertext twice, as real encryption: one that is made anew would show. */
let nonce = 0;
export const secrets = {
  salt: "v1:salt:proof",
  crypter: {
    encrypt: (text: string) => `v1:${nonce++}:${Buffer.from(text).toString("base64")}`,
    decrypt: (text: string) => Buffer.from(text.split(":")[2] ?? "", "base64").toString(),
  },
};

const secretSigned = (ciphertext: string) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext,
});

/** A checkpoint of some resources in a row, each with a secret, parent or dependency before it; one creation pending. */
export function checkpointOf(count: number): string {
  const resources = Array.from({ length: count }, (_, index) => ({
    urn: urnOf(`old${index}`),
    custom: true,
    type,
    id: `id${index}`,
    inputs: { z: index, a: secretSigned(secrets.crypter.encrypt(`"secret ${index}"`)) },
    outputs: { deep: [{ list: [null, secretSigned(secrets.crypter.encrypt('{"b":1}'))] }] },
    ...(index % 3 === 1 && { parent: urnOf(`old${index - 1}`) }),
    ...(index % 3 === 2 && { dependencies: [urnOf(`old${index - 1}`), urnOf("old0")] }),
    ...(index % 4 === 3 && { delete: true, unheardOf: { kept: true } }),
  }));
  const pending = ["creating", "updating"].map((type) => ({ resource: resources[0], type }));
  const latest = {
    manifest: { time: "2027-01-01T00:00:00Z", magic: "m", version: "v" },
    secrets_providers: { type: "passphrase", state: { salt: "v1:salt:proof" } },
    ...(count > 0 && { resources, pending_operations: pending }),
    metadata: { kept: 1 },
  };
  return JSON.stringify({ version: 3, checkpoint: { stack: "organization/test/dev", latest } });
}
