// @module-tag ci
/**
 * The pictures in the documentation: the report, and a comment of a pull request. `npm run docs` writes them, by
 * `ORGSEAT_TEST_WRITE=1`, and otherwise the tests compare.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { htmlOf } from "../../../command/report/html/page.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { runningOrganization } from "../../automation/organization.ts";
import { Browser, type Page } from "../../browser/browser.ts";
import { isInstallable, scriptOf } from "../../browser/chromium.ts";
import { sampleReport } from "../../command/report/sample.ts";
import { equip, runAction } from "../../examples/ci/action.ts";
import { Forge } from "../../examples/ci/forge.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const MOST_BYTES = 80_000;
/** Of all pixels; a processor may round the edges of letters otherwise. */
const MOST_DIFFERENT = 0.001;

/** Writes a picture if that is wanted, and compares it with the one in the documentation. */
async function expectPicture(browser: Browser, file: string, png: Buffer): Promise<void> {
  expect(png.length).toBeLessThan(MOST_BYTES);
  const path = join(packageRoot, file);
  const isWanted = process.env.ORGSEAT_TEST_WRITE === "1";
  if (isWanted && (!existsSync(path) || (await difference(browser, readFileSync(path), png)) > 0))
    writeFileSync(path, png);
  expect(await difference(browser, readFileSync(path), png)).toBeLessThan(MOST_DIFFERENT);
}

/** The share of pixels that differ visibly; 1 for pictures of different sizes. */
async function difference(browser: Browser, one: Buffer, other: Buffer): Promise<number> {
  const page = await browser.open("<!doctype html><title>Pictures</title>", { width: 100 });
  const urls = [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  return page.evaluate(
    z.number(),
    `(async () => {
      const [a, b] = await Promise.all(${JSON.stringify(urls)}.map(async (src) => {
        const image = new Image();
        image.src = src;
        await image.decode();
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      }));
      if (a.width !== b.width || a.height !== b.height) return 1;
      let different = 0;
      for (let at = 0; at < a.data.length; at += 4)
        if ([0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > 48)) different += 1;
      return different / (a.width * a.height);
    })()`,
  );
}

/** The comment that the action writes, in a pull request that adds one person, removes one, and rotates a token. */
async function comment(): Promise<string> {
  const people = ["ada", "bob", "grace"].map((key) => ({ key, email: `${key}@acme.example`, team: "core" }));
  const acme = await runningOrganization([...people, { key: "builds", purpose: "Linux builds" }]);
  acme.write([
    ...people.filter(({ key }) => key !== "bob"),
    { key: "katherine", email: "katherine@acme.example", team: "data" },
    { key: "builds", purpose: "Linux builds", rotation: "2" },
  ]);
  acme.environment.ORGSEAT_SEATS = "10";
  const { code, stdout } = await acme.orgseat("preview", "--markdown", "--exit-code");
  expect(code).toBe(2);
  const folder = temporaryFolder();
  equip(folder, "exit 1");
  // The digest depends on the ids of this run.
  writeFileSync(join(folder, "plan.md"), stdout.replace(/^Plan `[0-9a-f]{12}`/m, "Plan `46a4c485c569`"));
  const forge = await Forge.open("GitHub");
  const values = { "github.token": "the-token", "github.event.pull_request.number": "7" };
  const inputs = { command: "comment", plan: "plan.md", roster: "people.csv" };
  const ended = await runAction("Comment", inputs, folder, forge.environment, values);
  expect(ended).toMatchObject({ code: 0, stdout: "created the comment\n" });
  return forge.own[0] ?? "";
}

/** The position of the lower edge of an element. */
async function heightOf(page: Page, selector: string): Promise<number> {
  const script = `document.querySelector('${selector}').getBoundingClientRect().bottom`;
  return Math.ceil(await page.evaluate(z.number(), script));
}

/** As a forge shows it. */
async function rendered(browser: Browser, markdown: string): Promise<string> {
  const page = await browser.open("<!doctype html><title>Markdown</title>", { width: 100 });
  const script = `${await scriptOf("marked")}; marked.parse(${JSON.stringify(markdown)})`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Comment</title><style>
body { margin: 0; padding: 20px 24px; font: 14px/1.5 sans-serif; color: #1f2328; background: #fff; }
h3 { margin: 0 0 14px; font-size: 18px; }
table { border-collapse: collapse; margin-bottom: 14px; }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left; }
code { background: #eff1f3; padding: 2px 5px; border-radius: 6px; font-size: 13px; }
a { color: #0969da; }
</style><main>${await page.evaluate(z.string(), script)}</main>`;
}

describe.skipIf(!isInstallable)("a real browser draws", () => {
  test("the report in docs/reports.md; if not so, run `npm run docs`", async () => {
    const browser = await Browser.start();
    const page = await browser.open(htmlOf(sampleReport), { width: 960 });
    const height = await heightOf(page, ".legend");
    await expectPicture(browser, "docs/pictures/report.png", await page.screenshot(960, height + 8));
  });

  test("the comment in docs/ci.md; if not so, run `npm run docs`", async () => {
    const browser = await Browser.start();
    const page = await browser.open(await rendered(browser, await comment()), { width: 820 });
    const height = await heightOf(page, "html");
    await expectPicture(browser, "docs/pictures/comment.png", await page.screenshot(820, height));
  });

  test("pictures that differ (positive control)", async () => {
    const browser = await Browser.start();
    const shot = async (text: string) =>
      (await browser.open(`<!doctype html><title>x</title><h1>${text}</h1>`, { width: 200 })).screenshot(
        200,
        100,
      );
    expect(await difference(browser, await shot("one"), await shot("one"))).toBe(0);
    expect(await difference(browser, await shot("one"), await shot("two"))).toBeGreaterThan(MOST_DIFFERENT);
  });
});
