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

/** Removes known secrets: raw, reversed, JSON-escaped, URL-encoded (both also twice), in base64 and in hex. */
export class Redactor {
  readonly #known = new Set<string>();
  /** The forms of all secrets by their first characters, so that the cost does not grow with their number. */
  readonly #forms = new Map<string, string[]>();
  #longest = 0;

  /** Adds a secret; ignores undefined and short texts. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < SHORTEST_SECRET || this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of writtenForms(secret)) {
      const start = form.slice(0, SHORTEST_SECRET);
      const same = this.#forms.get(start);
      if (same) same.push(form);
      else this.#forms.set(start, [form]);
      this.#longest = Math.max(this.#longest, form.length);
    }
  }

  /** The text without known secrets. A text of more than 16 Ki characters is cut. */
  redact(text: string): string {
    const window = this.#removeForms(text.slice(0, WINDOW))
      .replace(HEX_RUN, (run) => (this.#containsInHex(run) ? REMOVED : run))
      .replace(BASE64_RUN, (run) => (this.#containsInBase64(run) ? REMOVED : run))
      .replace(WORD, (run) => (this.#containsInEscapes(run) ? REMOVED : run));
    // The cut can divide a secret, whose first part at the end is then not recognized.
    return text.length <= WINDOW ? window : window.slice(0, -(HEX_DIGITS * this.#longest) || undefined);
  }

  /** A service's message for output: redacted, on one line, without control characters, at most 300 characters. */
  show(text: string): string {
    const line = this.redact(this.redact(text).replace(INVISIBLE, " ").trim()).toWellFormed();
    return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).trimEnd()}…`;
  }

  #removeForms(text: string): string {
    let clean = "";
    let copied = 0;
    for (let at = 0; at + SHORTEST_SECRET <= text.length; ) {
      const length = this.#formAt(text, at);
      if (length === 0) at += 1;
      else {
        clean += text.slice(copied, at) + REMOVED;
        at += length;
        copied = at;
      }
    }
    return clean + text.slice(copied);
  }

  #formAt(text: string, at: number): number {
    let longest = 0;
    for (const form of this.#forms.get(text.slice(at, at + SHORTEST_SECRET)) ?? []) {
      if (form.length > longest && text.startsWith(form, at)) longest = form.length;
    }
    return longest;
  }

  /** Whether base64 characters decode to text with a secret, at any offset. */
  #containsInBase64(run: string): boolean {
    for (let shift = 0; shift < 4; shift++) {
      const decoded = Buffer.from(run.slice(shift), "base64").toString("utf8");
      if (this.#removeForms(decoded) !== decoded) return true;
    }
    return false;
  }

  /** Whether hexadecimal digits decode to text with a secret, at an even or odd offset. */
  #containsInHex(run: string): boolean {
    return [run, run.slice(1)].some((digits) => {
      const decoded = Buffer.from(digits, "hex").toString("utf8");
      return this.#removeForms(decoded) !== decoded;
    });
  }

  /** Whether percent escapes, decoded several times, contain a secret. */
  #containsInEscapes(run: string): boolean {
    let decoded = run;
    for (let depth = 0; depth < DEEPEST_ESCAPE && decoded.includes("%"); depth++) {
      decoded = unescapePercent(decoded);
      const spaced = decoded.replaceAll("+", " ");
      if ([decoded, spaced].some((text) => this.#removeForms(text) !== text)) return true;
    }
    return false;
  }
}

/** The hexadecimal digits of an ASCII character. */
const HEX_DIGITS = 2;
const HEX_RUN = new RegExp(`[0-9A-Fa-f]{${HEX_DIGITS * SHORTEST_SECRET},}`, "g");
const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}={0,2}/g;
/** Characters of addresses, escaped ones included. */
const WORD = /[^\s"<>\\^`{|}]+/g;
const DEEPEST_ESCAPE = 4;
const INVISIBLE = /[\p{Cc}\p{Cf}\s]+/gu;

function writtenForms(secret: string): Set<string> {
  const url = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const twice = [json, ascii(json)].map((text) => JSON.stringify(text).slice(1, -1));
  const forms = [secret, secret.trim(), json, ascii(json), ...twice, json.replaceAll("/", "\\/"), url, form];
  const lower = [url, form].map((text) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  const reversed = Array.from(secret).reverse().join("");
  return new Set([...forms, ...lower, reversed].filter((text) => text.length >= SHORTEST_SECRET));
}

/** Decodes percent escapes; keeps everything else. */
function unescapePercent(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** JSON with `\u` for all characters beyond ASCII, as many servers write it. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
