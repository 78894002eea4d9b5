import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, test } from "vitest";
import { seal } from "../../provider/util/age.ts";
import { recipientIssues } from "../../provider/util/recipients.ts";
import { ada, listedOrganization, member } from "../resources/listed.ts";

const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const UNUSABLE = "a key that cannot encrypt. Ask its owner for a new one (age-keygen)";

/** The points of small order, little-endian, and their second encodings (RFC 7748, section 6.1). */
const SMALL_ORDER = [
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
];

function polymod(values: readonly number[]): number {
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of generator.entries()) if ((top >>> bit) & 1) sum ^= term;
  }
  return sum;
}

/** A key with these bytes and a valid checksum (BIP 173). */
function recipientOf(prefix: "age" | "age1pq", bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = (bits.match(/.{1,5}/g) ?? []).map((group) => Number.parseInt(group.padEnd(5, "0"), 2));
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = polymod([...expanded, ...groups, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31);
  return `${prefix}1${[...groups, ...checksum].map((value) => CHARACTERS[value]).join("")}`;
}

function bytesOf(recipient: string): Buffer {
  const data = recipient.slice(recipient.lastIndexOf("1") + 1, -6);
  const bits = [...data].map((letter) => CHARACTERS.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

const canSeal = (recipient: string) =>
  seal("value", [recipient]).then(
    () => true,
    () => false,
  );

describe("recipientIssues", () => {
  test.each(SMALL_ORDER)("refuses the X25519 point %s of small order, as sealing does", async (point) => {
    const recipient = recipientOf("age", Buffer.from(point, "hex"));
    expect(await canSeal(recipient)).toBe(false);
    expect(recipientIssues([recipient])).toEqual([UNUSABLE]);
  });

  test("accepts the keys of age-keygen", async () => {
    for (const make of [generateX25519Identity, generateHybridIdentity]) {
      const recipient = await identityToRecipient(await make());
      const prefix = recipient.startsWith("age1pq") ? "age1pq" : "age";
      expect(recipientOf(prefix, bytesOf(recipient)), "the encoding of this test").toBe(recipient);
      expect(recipientIssues([recipient])).toEqual([]);
    }
  });

  test("refuses a hybrid key that ends with a point of small order, as sealing does", async () => {
    const bytes = bytesOf(await identityToRecipient(await generateHybridIdentity()));
    const recipient = recipientOf("age1pq", bytes.fill(0, bytes.length - 32));
    expect(await canSeal(recipient)).toBe(false);
    expect(recipientIssues([recipient])).toEqual([UNUSABLE]);
  });
});

describe("post-quantum keys", () => {
  test("stand alone: others beside them are refused", async () => {
    const [hybrid = "", classical = ""] = await Promise.all(
      [generateHybridIdentity(), generateX25519Identity()].map(async (made) =>
        identityToRecipient(await made),
      ),
    );
    expect(recipientIssues([hybrid, hybrid])).toEqual([]);
    expect(recipientIssues([classical, hybrid])).toEqual([
      expect.stringContaining("post-quantum keys (age1pq1...) mixed with other keys"),
    ]);
  });
});

describe("UserToken", () => {
  test("refuses a recipient of small order in the preview, before it revokes the token", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    expect((await stack.up(member("ada", ada))).errors).toEqual([]);
    await organization.requests();
    const recipient = recipientOf("age", Buffer.alloc(32));
    const sealed = member("ada", ada, { token: { recipients: [recipient] } });
    const refused = [expect.stringContaining(UNUSABLE)];
    expect((await stack.up(sealed)).errors).toEqual(refused);
    const writes = (await organization.requests()).filter(({ method }) => method !== "GET");
    expect(writes.filter(({ call }) => call !== "token")).toEqual([]);
  });
});
