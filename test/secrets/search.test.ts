import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../setup/sandbox.ts";
import { findSecrets, marked, markedSecrets, writtenForms } from "../setup/secrets.ts";

const secret = { name: "password", value: marked.password };
const found = (text: string) => findSecrets(markedSecrets, { texts: { text } });

describe("the search for secrets", () => {
  test.each(Object.entries(writtenForms(marked.password)))("finds the form %s", (_, text) => {
    expect(found(`before ${text} after`)).toContainEqual(expect.objectContaining({ secret: "password" }));
  });

  test.each([0, 1, 2, 3, 4])("finds base64 and hex of a text with %s bytes before the secret", (length) => {
    const bytes = Buffer.from(`${"x".repeat(length)}${marked.password}, and more`);
    for (const encoding of ["base64", "base64url", "hex"] as const) {
      expect(found(bytes.toString(encoding)), encoding).not.toEqual([]);
    }
  });

  test("finds what other programs make of it", () => {
    const goQuoted = `"\\"p\u00e4ss'w\\\\\u00f6rd\\"PASSWORDMARK4711"`;
    const xml = marked.password.replaceAll('"', "&quot;").replaceAll("'", "&apos;");
    const thrice = JSON.stringify(JSON.stringify(JSON.stringify(marked.password)));
    for (const text of [goQuoted, xml, thrice, `user:${marked.password}@host`]) {
      expect(found(text), text).not.toEqual([]);
    }
  });

  test("finds every one of the markers, and says which, where and how", () => {
    for (const { name, value } of markedSecrets) {
      const [first, ...others] = findSecrets(markedSecrets, { texts: { output: `= ${value}.` } });
      expect(first).toEqual({ secret: name, where: "output", form: "raw" });
      expect(others.every((other) => other.secret === name)).toBe(true);
    }
  });

  test("reads every file below a folder, hidden and binary ones too, and follows no link", () => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    const file = join(folder, "deep", ".hidden", "file");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(marked.password)]));
    writeFileSync(join(outside, "file"), marked.password);
    symlinkSync(outside, join(folder, "link"));
    const where = findSecrets([secret], { folders: [folder] }).map((finding) => finding.where);
    expect(new Set(where)).toEqual(new Set([file]));
  });

  test("finds nothing where nothing is, and refuses to look for what it could not find", () => {
    expect(found("PASSWORD and password, p\u00e4ssw\u00f6rd, [secret]")).toEqual([]);
    expect(() => findSecrets([{ name: "short", value: "pw" }], {})).toThrow("too short");
  });
});
