/** How much code there is. The bounds fall with the code; only something new that users get raises one, in a commit that says so. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";

/** Lines of code, without blank lines and comments. */
const mostLines: Readonly<Record<string, number>> = {
  "provider/api": 3400,
  "provider/member": 5450,
  "provider/resources": 3700,
  provider: 16800,
  "command/cli": 2500,
  "command/plan": 2000,
  "command/report": 1600,
  "command/roster": 2750,
  command: 16250,
  sdk: 1240,
  sandbox: 6050,
};
/** By how much a bound may exceed what there is. */
const SLACK = 0.03;

/** The source files that ask what the platform of the service can do. The sandbox service has platforms of its own. */
const MOST_ASKING = 28;

const paths = globSync(["provider/**/*.ts", "command/**/*.ts", "sdk/**/*.{ts,cjs,js}", "sandbox/**/*.ts"], {
  cwd: packageRoot,
  exclude: ["**/node_modules", "**/dist"],
});
const sources = paths.map((path) => {
  const text = readFileSync(join(packageRoot, path), "utf8");
  return { path, source: ts.createSourceFile(path, text, ts.ScriptTarget.ESNext) };
});

/** The lines of code of a file: those that a token touches. */
function codeLines(source: ts.SourceFile): number {
  const lines = new Set<number>();
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    for (const child of children) visit(child);
    if (children.length > 0 || node.getWidth(source) === 0) return;
    const [first, last] = [lineOf(node.getStart(source)), lineOf(node.getEnd())];
    for (let line = first; line <= last; line++) lines.add(line);
  };
  visit(source);
  return lines.size;
}

const capabilities = new Set(
  "canListUsers canListTokens revokesByTokenId canSetExpiry canChooseEmails removesSeatsWithTokens canCreateServers canDeleteTables".split(
    " ",
  ),
);

/** Whether code reads a capability: as a property, or by destructuring. */
function asks(node: ts.Node): boolean {
  const isRead =
    (ts.isPropertyAccessExpression(node) && capabilities.has(node.name.text)) ||
    (ts.isBindingElement(node) && ts.isIdentifier(node.name) && capabilities.has(node.name.text));
  return isRead || ts.forEachChild(node, (child) => asks(child) || undefined) === true;
}

test.each(Object.entries(mostLines))(
  "the code of %s has at most %i lines, and little less",
  (folder, most) => {
    const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
    const lines = own.reduce((sum, { source }) => sum + codeLines(source), 0);
    expect(lines).toBeLessThanOrEqual(most);
    expect(lines, "lower the bound").toBeGreaterThan(most * (1 - SLACK));
  },
);

test("the files that ask what the platform can are few", () => {
  const asking = sources.filter(({ path, source }) => !path.startsWith("sandbox/") && asks(source));
  expect(asking.length, asking.map(({ path }) => path).join("\n")).toBeLessThanOrEqual(MOST_ASKING);
});
