/** Lists the messages in the sources of the product, found by TypeScript's syntax trees. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const FOLDERS = ["provider", "sdk", "command"];
/** Help and fields of rosters have pages of their own, the HTML report is one; the calls and their rows are the contract. */
const ELSEWHERE =
  /^(command\/report\/html\/|command\/cli\/(help|verbs|options|main)\.ts|command\/roster\/fields\.ts|provider\/api\/(anaconda-)?calls\.ts)/;
export function messagesPage(): string {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `${folder}/${path}`)
      .filter((path) => !ELSEWHERE.test(path)),
  );
  const sections = files.toSorted().flatMap((path) => {
    const found = messagesIn(path, readFileSync(join(packageRoot, path), "utf8"));
    return found.length === 0 ? [] : [`## ${path}\n\n${found.map((text) => `- ${inCode(text)}\n`).join("")}`];
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

const INTRODUCTION = `# Messages

What orgseat can print, by source file: errors, warnings, notes, and lines of plans, results, and reports. \`<...>\` is a value. A long
message can consist of several of these parts. docs/commands.md has the help of the flags.
`;

/**
 * The messages of one file, each once, in order: all texts of several words. Looking at errors and log calls alone misses
 * texts that functions return and schemas hold.
 */
export function messagesIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    const text = textOf(node);
    if (text !== undefined && isSentence(text)) found.add(text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found];
}

/** The last name of `context.warn` or `Error`. */
function nameOf(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : "";
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(
    ({ expression, literal }) => `<${labelOf(expression)}>${literal.text}`,
  );
  return node.head.text + spans.join("");
}

/** What stands for a value: its name, where it has a short one. */
function labelOf(expression: ts.Expression): string {
  if (ts.isCallExpression(expression)) return labelOf(expression.expression);
  return nameOf(expression) || "...";
}

/** A message has words. A key, a path, or a separator has none. */
function isSentence(text: string): boolean {
  return text.trim().length > 11 && /[a-z]{2,} [a-z<(`"]/i.test(text);
}

function inCode(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, " / ");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}
