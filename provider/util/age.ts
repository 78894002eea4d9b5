/** Encrypts for owners of age keys. The package contains this file with its library in one piece (build.cjs). */
import { armor, Encrypter } from "age-encryption";

/** @param recipients public keys @returns an ASCII-armored age file */
export async function seal(value: string, recipients: readonly string[]): Promise<string> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return `${armor.encode(await encrypter.encrypt(value)).trimEnd()}\n`;
}
