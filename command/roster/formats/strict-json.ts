/** Where a text stops being JSON: the messages of JSON.parse name no place, or not always. */

const BLANK = new Set([" ", "\t", "\n", "\r"]);
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** @returns the offset of the first character that JSON does not allow there; undefined if the text is JSON */
export function whereJsonBreaks(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return new Scan(text).breaks();
  }
}

/** Whether a value, a name, or what follows a value comes next. */
type Next = "value" | "value or end" | "name" | "name or end" | "after value";

class Scan {
  readonly #text: string;
  #at = 0;
  /** The signs that end what is open. */
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  breaks(): number {
    let next: Next | undefined = "value";
    while (next !== undefined) {
      this.#skipBlanks();
      next = this.#step(next);
    }
    return this.#at;
  }

  /** @returns what comes after it; undefined if the text breaks here */
  #step(next: Next): Next | undefined {
    const sign = this.#text[this.#at];
    const end = this.#open.at(-1);
    if (sign !== undefined && sign === end && next !== "value" && next !== "name") {
      this.#at += 1;
      this.#open.pop();
      return "after value";
    }
    if (next === "after value") {
      if (sign !== "," || end === undefined) return undefined;
      this.#at += 1;
      return end === "}" ? "name" : "value";
    }
    return next === "value" || next === "value or end" ? this.#value(sign) : this.#name();
  }

  #value(sign: string | undefined): Next | undefined {
    if (sign === "{" || sign === "[") {
      this.#at += 1;
      this.#open.push(sign === "{" ? "}" : "]");
      return sign === "{" ? "name or end" : "value or end";
    }
    return this.#skipString() || this.#skip(WORD) ? "after value" : undefined;
  }

  #name(): Next | undefined {
    if (!this.#skipString()) return undefined;
    this.#skipBlanks();
    if (this.#text[this.#at] !== ":") return undefined;
    this.#at += 1;
    return "value";
  }

  #skipString(): boolean {
    if (this.#text[this.#at] !== '"') return false;
    this.#at += 1;
    for (let sign = this.#text[this.#at]; sign !== '"'; sign = this.#text[this.#at]) {
      if (sign === undefined || sign < " ") return false;
      if (sign !== "\\") this.#at += 1;
      else if (!this.#skip(ESCAPE)) return false;
    }
    this.#at += 1;
    return true;
  }

  #skip(form: RegExp): boolean {
    form.lastIndex = this.#at;
    const [found] = form.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }

  #skipBlanks(): void {
    while (BLANK.has(this.#text.charAt(this.#at))) this.#at += 1;
  }
}
