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
/** The maximum number of characters of a service's message that are searched; messages are much shorter. */
const WINDOW = 16_384;
/** The maximum length of a service's message, in characters. */
const SHOWN = 300;

/** Removes known secrets: as they are and in another case, JSON-escaped, URL-encoded, and in base64. */
export class Redactor {
  readonly #known = new Set<string>();
  /** In lower case. */
  readonly #texts = new Forms();
  readonly #inBase64 = new Forms();

  /** Adds a secret; ignores undefined and short texts. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < SHORTEST_SECRET || this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of writtenForms(secret)) this.#texts.add(lowerCase(form));
    for (const form of [...new Set([secret, inJson(secret)])].flatMap(base64Forms)) this.#inBase64.add(form);
  }

  /** The text without known secrets. */
  redact(text: string): string {
    if (this.#known.size === 0) return text;
    const isSecret = (run: string): boolean =>
      this.#inBase64.spansIn(run.replaceAll("-", "+").replaceAll("_", "/")).length > 0;
    const plain = withoutSpans(text, this.#texts.spansIn(lowerCase(text)));
    return plain.replace(BASE64_RUN, (run) => (isSecret(run) ? REMOVED : run));
  }

  /** A service's message for output: redacted, on one line, without control characters, at most 300 characters. */
  show(text: string): string {
    const window = this.redact(text.slice(0, WINDOW));
    // The cut can divide a secret, whose first part at the end is then not recognized.
    const divided = text.length > WINDOW ? Math.max(this.#texts.longest, this.#inBase64.longest) : 0;
    const whole = window.slice(0, window.length - divided);
    const line = this.redact(whole.replace(INVISIBLE, " ").trim()).toWellFormed();
    return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).trimEnd()}…`;
  }
}

const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}={0,2}/g;
const INVISIBLE = /[\p{Cc}\p{Cf}\s]+/gu;

/** Start and end in a text. */
type Span = readonly [from: number, to: number];

/** Texts to look for, by their first characters, so that the cost does not grow with their number. */
class Forms {
  readonly #byStart = new Map<string, string[]>();
  longest = 0;

  add(form: string): void {
    const start = form.slice(0, SHORTEST_SECRET);
    const same = this.#byStart.get(start);
    if (same) same.push(form);
    else this.#byStart.set(start, [form]);
    this.longest = Math.max(this.longest, form.length);
  }

  /** Where they are, the longest at each place. */
  spansIn(text: string): Span[] {
    const found: Span[] = [];
    for (let at = 0; at + SHORTEST_SECRET <= text.length; ) {
      const forms = this.#byStart.get(text.slice(at, at + SHORTEST_SECRET)) ?? [];
      const lengths = forms.filter((form) => text.startsWith(form, at)).map(({ length }) => length);
      const length = Math.max(0, ...lengths);
      if (length > 0) found.push([at, at + length]);
      at += length || 1;
    }
    return found;
  }
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  const kept = spans.map(([from], index) => text.slice(spans[index - 1]?.[1] ?? 0, from));
  return [...kept, text.slice(spans.at(-1)?.[1] ?? 0)].join(REMOVED);
}

/** With the same length: a few letters have more characters in the other case. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  ).join("");
}

function writtenForms(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = inJson(secret);
  // A service that URL-encodes the body of a token request encodes the secret twice.
  const twice = encodeURIComponent(form);
  const inText = [secret, secret.trim(), json, ascii(json), json.replaceAll("/", "\\/")];
  const forms = new Set([...inText, url, form, twice]);
  return [...forms].filter((text) => text.length >= SHORTEST_SECRET);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** JSON with `\u` for all characters beyond ASCII, as many servers write it. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The characters that the secret alone decides, after 0, 1, and 2 bytes of another text in the same group of three. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    return whole.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  });
}
