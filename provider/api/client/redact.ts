/**
 * Removes secrets from external text. A service that echoes a request, or a proxy that prints its headers, must not put a
 * password into a log through an error message.
 */

const REMOVED = "[removed]";
/**
 * The shortest secret that is removed, in characters. A shorter one occurs in ordinary words: its removal would make
 * messages unreadable and reveal it by the gaps. orgseat warns about it instead.
 */
export const SHORTEST_SECRET = 6;
/** The maximum number of characters that are searched; messages are much shorter. */
const WINDOW = 16_384;
/** The maximum length of a service's message, in characters. */
const SHOWN = 300;

/**
 * Removes known secrets: as they are, in another case, reversed, JSON-escaped, URL-encoded (both also twice), in base64 and in
 * hex (both also in several lines or groups), and in UTF-16.
 */
export class Redactor {
  readonly #known = new Set<string>();
  /** The forms of all secrets in lower case by their first characters, so that the cost does not grow with their number. */
  readonly #forms = new Map<string, string[]>();
  /** The first two bytes of each form, in UTF-8 and in Latin-1. */
  readonly #starts = new Uint8Array(BYTE * BYTE);
  #longest = 0;

  /** Adds a secret; ignores undefined and short texts. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < SHORTEST_SECRET || this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of writtenForms(secret)) {
      const lower = lowerCase(form);
      const start = lower.slice(0, SHORTEST_SECRET);
      const same = this.#forms.get(start);
      if (same) same.push(lower);
      else this.#forms.set(start, [lower]);
      this.#longest = Math.max(this.#longest, form.length);
      for (const encoding of ["utf8", "latin1"] as const) {
        // With the other case of a letter beyond ASCII, which can begin with another byte.
        for (const text of [lower, lower.toUpperCase()]) {
          const [first = 0, second = 0] = Buffer.from(text, encoding);
          this.#starts[lowerByte(first) * BYTE + lowerByte(second)] = 1;
        }
      }
    }
  }

  /** The text without known secrets. A text of more than 16 Ki characters is cut. */
  redact(text: string): string {
    const window = this.redactWhole(text.slice(0, WINDOW));
    // The cut can divide a secret, whose first part at the end is then not recognized.
    return text.length <= WINDOW ? window : window.slice(0, -(HEX_DIGITS * this.#longest) || undefined);
  }

  /** The same, whatever the length of the text. */
  redactWhole(text: string): string {
    if (this.#known.size === 0) return text;
    return this.#removeForms(text)
      .replace(WIDE_RUN, (run) => (this.#contains(run.replaceAll("\0", "")) ? REMOVED : run))
      .replace(HEX_RUN, (run) => (this.#containsInHex(run) ? REMOVED : run))
      .replace(BASE64_RUN, (run) => (this.#containsInBase64(run) ? REMOVED : run))
      .replace(UNICODE_RUN, (run) => (this.#contains(unescapeUnicode(run)) ? REMOVED : run))
      .replace(WORD, (run) => (this.#containsInEscapes(run) ? REMOVED : run));
  }

  /** A service's message for output: redacted, on one line, without control characters, at most 300 characters. */
  show(text: string): string {
    const line = this.redact(this.redact(text).replace(INVISIBLE, " ").trim()).toWellFormed();
    return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).trimEnd()}…`;
  }

  #contains(text: string): boolean {
    return this.#removeForms(text) !== text;
  }

  #containsInBytes(bytes: Buffer): boolean {
    if (!this.#hasStart(bytes)) return false;
    return (
      this.#contains(bytes.toString("utf8")) || this.#contains(bytes.toString("latin1").replaceAll("\0", ""))
    );
  }

  /** Whether a form can begin in these bytes: most have no start of any, and need not become text. */
  #hasStart(bytes: Buffer): boolean {
    let last = 0;
    for (const byte of bytes) {
      // Two bytes a character in UTF-16.
      if (byte === 0) continue;
      const lower = lowerByte(byte);
      if (this.#starts[last * BYTE + lower] === 1) return true;
      last = lower;
    }
    return false;
  }

  #removeForms(text: string): string {
    const lower = lowerCase(text);
    let clean = "";
    let copied = 0;
    for (let at = 0; at + SHORTEST_SECRET <= text.length; ) {
      const length = this.#formAt(lower, at);
      if (length === 0) at += 1;
      else {
        clean += text.slice(copied, at) + REMOVED;
        at += length;
        copied = at;
      }
    }
    return clean + text.slice(copied);
  }

  #formAt(lower: string, at: number): number {
    let longest = 0;
    for (const form of this.#forms.get(lower.slice(at, at + SHORTEST_SECRET)) ?? []) {
      if (form.length > longest && lower.startsWith(form, at)) longest = form.length;
    }
    return longest;
  }

  /** Whether base64 characters decode to text with a secret, at any offset. */
  #containsInBase64(run: string): boolean {
    const characters = run.replace(/\s+/g, "");
    return [0, 1, 2, 3].some((shift) =>
      this.#containsInBytes(Buffer.from(characters.slice(shift), "base64")),
    );
  }

  /** Whether hexadecimal digits decode to text with a secret, at an even or odd offset. */
  #containsInHex(run: string): boolean {
    const digits = run.replace(HEX_SEPARATOR, "");
    return [digits, digits.slice(1)].some((some) => this.#containsInBytes(Buffer.from(some, "hex")));
  }

  /** Whether percent escapes, decoded several times, contain a secret. */
  #containsInEscapes(run: string): boolean {
    let decoded = run;
    for (let depth = 0; depth < DEEPEST_ESCAPE && decoded.includes("%"); depth++) {
      decoded = unescapePercent(decoded);
      if ([decoded, decoded.replaceAll("+", " ")].some((text) => this.#contains(text))) return true;
    }
    return false;
  }
}

/** The hexadecimal digits of an ASCII character. */
const HEX_DIGITS = 2;
/** Digits together, or bytes apart: `6f 72`, `6f:72`, `0x6f, 0x72`, `\x6f\x72`. */
const HEX_SEPARATOR = /[\s:,-]+(?:0x)?|\\x/g;
const HEX_RUN = new RegExp(
  `[0-9A-Fa-f]{${HEX_DIGITS * SHORTEST_SECRET},}|[0-9A-Fa-f]{2}(?:(?:[\\s:,-]{1,8}(?:0x)?|\\\\x)[0-9A-Fa-f]{2}){${SHORTEST_SECRET - 1},}`,
  "g",
);
/** In one line, or in several. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}(?:[ \t\r]*\n[ \t]*[A-Za-z0-9+/_-]+)*={0,2}/g;
/** Two bytes a character. */
const WIDE_RUN = /\0?(?:[^\0]\0){6,}[^\0]?/g;
const UNICODE_RUN = /[^\s"]*\\u[0-9A-Fa-f]{4}[^\s"]*/g;
/** Characters of addresses, escaped ones included. */
const WORD = /[^\s"<>\\^`{|}]+/g;
const DEEPEST_ESCAPE = 4;
const INVISIBLE = /[\p{Cc}\p{Cf}\s]+/gu;

const BYTE = 256;

/** Of an ASCII letter; others stay as they are. */
function lowerByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** With the same length: a few letters have more characters in the other case. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  ).join("");
}

function writtenForms(secret: string): Set<string> {
  const url = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const twice = [json, ascii(json)].map((text) => JSON.stringify(text).slice(1, -1));
  const forms = [secret, secret.trim(), json, ascii(json), ...twice, json.replaceAll("/", "\\/"), url, form];
  const reversed = Array.from(secret).reverse().join("");
  return new Set([...forms, reversed].filter((text) => text.length >= SHORTEST_SECRET));
}

/** Decodes percent escapes; keeps everything else. */
function unescapePercent(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

function unescapeUnicode(text: string): string {
  return text.replace(/\\u([0-9A-Fa-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** JSON with `\u` for all characters beyond ASCII, as many servers write it. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
