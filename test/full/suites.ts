/** Which suites the tests declare, read from their sources: a suite that no one ran shows by being absent. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

export interface DeclaredSuite {
  readonly file: string;
  /** The name as it is written. */
  readonly written: string;
  /** Fits the names that it stands for: one for each engine, where it is run on several. */
  readonly fits: RegExp;
}

/** The suites of all tests. */
export function declaredSuites(): DeclaredSuite[] {
  return readdirSync(join(packageRoot, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".test.ts") && !file.startsWith("test/full/"))
    .flatMap((file) => suitesOf(file, readFileSync(join(packageRoot, file), "utf8")));
}

/** @throws if a file runs cases of a suite that cannot be told from its text */
export function suitesOf(file: string, text: string): DeclaredSuite[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const names: ts.Expression[] = [];
  let runs = false;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    if (ts.isCallExpression(node) && /^check(Cases|Each)$/.test(node.expression.getText())) runs = true;
    if (ts.isObjectLiteralExpression(node)) {
      const name = nameOfSuite(node);
      if (name) names.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (runs && names.length === 0) throw new Error(`${file} runs cases of a suite whose name cannot be told`);
  return names.map((name) => ({
    file,
    written: name.getText(),
    fits: new RegExp(`^(?:${patternOf(name, constants)})$`),
  }));
}

/** The expression of its name, if the object has what a suite has. */
function nameOfSuite(node: ts.ObjectLiteralExpression): ts.Expression | undefined {
  const values = new Map<string, ts.Expression>();
  for (const property of node.properties) {
    if (ts.isPropertyAssignment(property)) values.set(property.name.getText(), property.initializer);
    else if (ts.isShorthandPropertyAssignment(property)) values.set(property.name.text, property.name);
  }
  return values.has("level") && values.has("cases") ? values.get("name") : undefined;
}

function patternOf(name: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string {
  if (ts.isStringLiteralLike(name)) return escaped(name.text);
  if (ts.isTemplateExpression(name)) {
    return (
      escaped(name.head.text) + name.templateSpans.map(({ literal }) => `.+${escaped(literal.text)}`).join("")
    );
  }
  if (ts.isConditionalExpression(name)) {
    return `(?:${patternOf(name.whenTrue, constants)}|${patternOf(name.whenFalse, constants)})`;
  }
  const constant = ts.isIdentifier(name) ? constants.get(name.text) : undefined;
  if (!constant) throw new Error(`the name of a suite cannot be told: ${name.getText()}`);
  return patternOf(constant, constants);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
