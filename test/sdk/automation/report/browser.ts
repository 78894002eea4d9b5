/** A browser of this machine, as its own headless flags let a test see a page. */
import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { temporaryFolder } from "../../../setup/sandbox.ts";

/** Those that print a page's tree; Firefox has no flag for that. */
const names = ["google-chrome", "google-chrome-stable", "chromium"];

/** `CHROME_BIN`, else the first on the PATH; undefined where there is none. */
export const browser: string | undefined = [
  ...(process.env.CHROME_BIN ? [process.env.CHROME_BIN] : []),
  ...names.flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name))),
].find(isProgram);

/** One from a snap does not see the temporary folder. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !realpathSync(file).endsWith("/snap");
  } catch {
    return false;
  }
}

export interface Seen {
  /** The tree as the browser has it, in HTML. */
  readonly dom: string;
  /** What the console says: errors and refusals of the page's own policy among it. */
  readonly console: readonly string[];
}

/** Opens a page from a file. @param program as `browser` */
export async function open(program: string, page: string): Promise<Seen> {
  const folder = temporaryFolder();
  const file = join(folder, "report.html");
  writeFileSync(file, page);
  const { stdout, stderr } = await promisify(execFile)(
    program,
    [
      ...["--headless", "--disable-gpu", "--no-first-run", `--user-data-dir=${join(folder, "profile")}`],
      ...["--enable-logging=stderr", "--dump-dom"],
      // As root a browser starts in no other way.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      pathToFileURL(file).href,
    ],
    { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
  );
  return { dom: stdout, console: stderr.split("\n").filter((line) => line.includes(":CONSOLE")) };
}

export interface Layout {
  /** By how many pixels the page is wider than the frame. */
  readonly excess: number;
  /** Elements that reach beyond the card around them, with their texts; what scrolls inside of the card does not. */
  readonly outside: readonly string[];
  /** Pairs of labels of the timeline that touch. */
  readonly touching: readonly string[];
}

/** Measures a page in a frame of that width, in which its own policy holds. @param program as `browser` */
export async function layoutOf(program: string, page: string, width: number): Promise<Layout> {
  const frame = page.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const { dom } = await open(
    program,
    `<!doctype html><meta charset="utf-8"><iframe width="${width}" height="900" style="border: 0" srcdoc="${frame}" onload="document.title = JSON.stringify((${measure})(this.contentDocument))"></iframe>`,
  );
  const title = /<title>(.*?)<\/title>/s.exec(dom)?.[1] ?? "{}";
  return layoutSchema.parse(
    JSON.parse(title.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")),
  );
}

const layoutSchema = z.object({
  excess: z.number(),
  outside: z.array(z.string()),
  touching: z.array(z.string()),
});

/** Runs in the browser, so it is text without double quotes. */
const measure = `(page) => {
  const boxOf = (element) => element.getBoundingClientRect();
  const textOf = (element) => element.tagName + ': ' + element.textContent.trim().slice(0, 60);
  const outside = [...page.querySelectorAll('section, .tiles li')].flatMap((card) => {
    const { left, right } = boxOf(card);
    return [...card.querySelectorAll('*')].filter((element) => {
      const scroller = element.closest('.scroll');
      if (scroller !== null && scroller !== element) return false;
      const box = boxOf(element);
      return box.width > 0 && (box.left < left - 0.5 || box.right > right + 0.5 || element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && scroller === null);
    }).map(textOf);
  });
  const labels = [...page.querySelectorAll('svg text')];
  const touching = labels.flatMap((one, index) => labels.slice(index + 1).filter((other) => {
    const [a, b] = [boxOf(one), boxOf(other)];
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }).map((other) => textOf(one) + ' / ' + textOf(other)));
  return { excess: page.documentElement.scrollWidth - page.documentElement.clientWidth, outside: outside.slice(0, 20), touching: touching.slice(0, 20) };
}`;
