/** A search for secrets in whatever a run printed or stored, in every form in which a program might write them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A search goes by each secret's core, too: what is left of it where quotes are escaped twice or cut away. */
const CORE = /[A-Za-z0-9]{12,}/g;

export interface Secret {
  readonly name: string;
  readonly value: string;
}

export interface Finding {
  readonly secret: string;
  /** A file, or the name of a text. */
  readonly where: string;
  readonly form: string;
}

/**
 * @param texts by name
 * @param folders with all files below; links are not followed
 */
export function findSecrets(
  secrets: readonly Secret[],
  { texts = {}, folders = [] }: { texts?: Readonly<Record<string, string>>; folders?: readonly string[] },
): Finding[] {
  const needles = secrets.flatMap(needlesOf);
  const search = (where: string, content: Buffer): Finding[] => {
    const hits = needles.filter(({ bytes }) => content.includes(bytes));
    return hits.map(({ secret, form }) => ({ secret, where, form }));
  };
  return [
    ...Object.entries(texts).flatMap(([name, text]) => search(name, Buffer.from(text))),
    ...folders.flatMap(filesIn).flatMap((file) => search(file, readFileSync(file))),
  ];
}

interface Needle {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

function needlesOf({ name, value }: Secret): Needle[] {
  const cores = value.match(CORE) ?? [];
  if (cores.length === 0) throw new Error(`${name} is too short or too plain to be searched for`);
  const needles = [value, ...cores].flatMap((text) => Object.entries(writtenForms(text)));
  const unique = new Map(needles.map(([form, text]) => [text, form]));
  return [...unique].map(([text, form]) => ({ secret: name, form, bytes: Buffer.from(text) }));
}

/** How programs write a text: by name. */
export function writtenForms(text: string): Record<string, string> {
  const bytes = Buffer.from(text);
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const encoded = [0, 1, 2].flatMap((offset) => {
    const standard = base64At(bytes, offset);
    return [
      [`base64 at ${offset}`, standard],
      [`base64url at ${offset}`, standard.replaceAll("+", "-").replaceAll("/", "_")],
    ];
  });
  return {
    raw: text,
    json,
    "json, ASCII": ascii(json),
    "json in json": JSON.stringify(json).slice(1, -1),
    url,
    "url, lower case": lowerHex(url),
    form,
    "form, lower case": lowerHex(form),
    hex: bytes.toString("hex"),
    "hex, upper case": bytes.toString("hex").toUpperCase(),
    ...Object.fromEntries(encoded),
  };
}

/** What of a text's base64 does not depend on what stands around it, where so many bytes stand before it. */
function base64At(bytes: Buffer, offset: number): string {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const whole = padded.toString("base64").replace(/=+$/, "");
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
}

function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function lowerHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
}

/** All files below a folder. Not by `recursive`, which follows links: node_modules is one. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * Markers for everything secret of a sandbox and its project, with what is hard to escape and to find again. Those of
 * tokens and of client secrets begin every one that the service makes.
 */
export const marked = {
  password: `"p\u00e4ss'w\\\u00f6rd"PASSWORDMARK4711`,
  passphrase: `"w\u00f6rds' of\\ a phr\u00e4se"PASSPHRASEMARK4712`,
  clientSecret: `"s\u00ebcr'\\\u00e9t"CLIENTSECRETMARK4713`,
  minted: `"m\u00eent'\\\u00e9d"MINTEDSECRETMARK4714`,
  accessToken: `"access'tok\\en"ACCESSTOKENMARK4715`,
} as const;

export const markedSecrets: readonly Secret[] = Object.entries(marked).map(([name, value]) => ({
  name,
  value,
}));
