/**
 * Keeps secrets out of text that came from elsewhere. A service that echoes a request, or a proxy that prints its
 * headers, must not put a password into a log through our error messages.
 */

const REMOVED = "[removed]";
/**
 * A shorter secret, in characters, stands in ordinary words too: removing it would garble messages and, by the gaps, tell it.
 * It stays; who chose it is warned instead.
 */
export const SHORTEST_SECRET = 6;
/** How much of a text is looked at, in characters; what is shown is much shorter. */
const WINDOW = 16_384;
/** How much of a service's message is shown, in characters. */
const SHOWN = 300;

/** Knows secrets and removes them raw, reversed, JSON-escaped, URL-encoded (both also twice), in base64 and in hex. */
export class Redactor {
  readonly #known = new Set<string>();
  /** All written forms of all secrets by their first characters, so that cost does not grow with their number. */
  readonly #forms = new Map<string, string[]>();
  #longest = 0;

  /** Makes a secret known; undefined and short texts are passed over. */
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

  /** The text without any known secret. Of more than 16 Ki characters only the beginning comes back. */
  redact(text: string): string {
    const window = this.#removeForms(text.slice(0, WINDOW))
      .replace(HEX_RUN, (run) => (this.#holdsHex(run) ? REMOVED : run))
      .replace(BASE64_RUN, (run) => (this.#holdsEncoded(run) ? REMOVED : run))
      .replace(WORD, (run) => (this.#holdsEscaped(run) ? REMOVED : run));
    // The cut may have gone through a secret, whose first part then stands at the very end, unrecognised.
    return text.length <= WINDOW ? window : window.slice(0, -(HEX_DIGITS * this.#longest) || undefined);
  }

  /** A service's message as it may be shown: redacted, on one line, without control characters, cut at 300. */
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

  /** Whether a run of base64 characters decodes to text with a secret; it may begin anywhere in the run. */
  #holdsEncoded(run: string): boolean {
    for (let shift = 0; shift < 4; shift++) {
      const decoded = Buffer.from(run.slice(shift), "base64").toString("utf8");
      if (this.#removeForms(decoded) !== decoded) return true;
    }
    return false;
  }

  /** Whether a run of hexadecimal digits decodes to text with a secret; it may begin at an odd digit. */
  #holdsHex(run: string): boolean {
    return [run, run.slice(1)].some((digits) => {
      const decoded = Buffer.from(digits, "hex").toString("utf8");
      return this.#removeForms(decoded) !== decoded;
    });
  }

  /** Whether a run with percent escapes holds a secret further down: an encoded form body, encoded once more. */
  #holdsEscaped(run: string): boolean {
    let decoded = run;
    for (let depth = 0; depth < DEEPEST_ESCAPE && decoded.includes("%"); depth++) {
      decoded = unescapePercent(decoded);
      const spaced = decoded.replaceAll("+", " ");
      if ([decoded, spaced].some((text) => this.#removeForms(text) !== text)) return true;
    }
    return false;
  }
}

/** A character of ASCII as hexadecimal digits. */
const HEX_DIGITS = 2;
const HEX_RUN = new RegExp(`[0-9A-Fa-f]{${HEX_DIGITS * SHORTEST_SECRET},}`, "g");
const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}={0,2}/g;
/** What stands in an address without being escaped, and so the whole of what is. */
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

/** Takes percent escapes back; what is none stays as it is. */
function unescapePercent(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** JSON as many servers write it, with `\u` for everything beyond ASCII. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
