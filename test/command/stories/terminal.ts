/** A person at a terminal, in the process of the command: answers the questions that come, or does something else meanwhile. */
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished, vi } from "vitest";

/** What a person does at a question. @returns the answer */
export type Answering = () => Promise<string>;

/** What a question ends with. */
const QUESTION = /[\]:] $/;

/**
 * Makes the streams of this process those of a terminal, until the test ends.
 * @param columns of the terminal
 * @param show gets a question with its answer
 */
export function sitDown(columns: number, answering: Answering, show: (line: string) => void): void {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true });
  replace(process, "stdin", keyboard);
  for (const [name, value] of Object.entries({ isTTY: true, columns })) replace(process.stdout, name, value);
  let written = "";
  const screen = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += stripVTControlCharacters(String(text));
    const question = written.split(/[\r\n]/).at(-1) ?? "";
    if (!QUESTION.test(question)) return true;
    written = "";
    void answering().then((answer) => {
      show(`${question}${answer}`.trimEnd());
      keyboard.write(`${answer}\n`);
    });
    return true;
  });
  onTestFinished(() => screen.mockRestore());
}

function replace(owner: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  onTestFinished(() => {
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  });
}
