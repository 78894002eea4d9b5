/** The titles of tests, read from their sources: those of `describe` before, tables filled in. */
import ts from "typescript";

/** One `describe` or `test`, with the rows of its `each` where they can be read. */
interface Block {
  readonly kind: "suite" | "test";
  readonly table: readonly (readonly string[])[] | undefined;
}

/** Stands if a title holds what only a run knows. */
const UNREADABLE = "…";

/** Every full title of a test file, as a run shows them. */
export function titlesIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lists = listsOf(source);
  const titles: string[] = [];
  const visit = (node: ts.Node, before: readonly string[]): void => {
    const block = ts.isCallExpression(node) ? blockOf(node.expression, lists) : undefined;
    const title = block && ts.isCallExpression(node) ? titleOf(node.arguments[0]) : undefined;
    if (!block || title === undefined) {
      ts.forEachChild(node, (child) => visit(child, before));
      return;
    }
    const own = block.table?.map((row) => filled(title, row)) ?? [title];
    const full = before.flatMap((prefix) => own.map((name) => (prefix === "" ? name : `${prefix} ${name}`)));
    if (block.kind === "test") titles.push(...full);
    else ts.forEachChild(node, (child) => visit(child, full));
  };
  visit(source, [""]);
  return titles;
}

function blockOf(callee: ts.Expression, lists: ReadonlyMap<string, ts.Expression>): Block | undefined {
  if (ts.isIdentifier(callee)) {
    if (callee.text === "describe") return { kind: "suite", table: undefined };
    const named = lists.get(callee.text)?.getText();
    const isTest = callee.text === "test" || callee.text === "it" || named?.startsWith("test.skipIf(");
    return isTest ? { kind: "test", table: undefined } : undefined;
  }
  if (ts.isPropertyAccessExpression(callee)) return blockOf(callee.expression, lists);
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return undefined;
  const block = blockOf(callee.expression.expression, lists);
  if (!block || callee.expression.name.text !== "each") return block;
  return { ...block, table: tableOf(callee.arguments[0], lists) };
}

/** Lists that a `const` of the file names. */
function listsOf(source: ts.SourceFile): Map<string, ts.Expression> {
  const lists = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      lists.set(node.name.text, node.initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lists;
}

function tableOf(
  node: ts.Expression | undefined,
  lists: ReadonlyMap<string, ts.Expression>,
): string[][] | undefined {
  if (!node) return undefined;
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return tableOf(node.expression, lists);
  if (ts.isIdentifier(node)) {
    const list = lists.get(node.text);
    return list && !ts.isIdentifier(list) ? tableOf(list, lists) : undefined;
  }
  if (!ts.isArrayLiteralExpression(node)) return undefined;
  return node.elements.map((row) =>
    (ts.isArrayLiteralExpression(row) ? [...row.elements] : [row]).map(wordOf),
  );
}

function wordOf(node: ts.Expression): string {
  return ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) ? node.text : UNREADABLE;
}

function titleOf(node: ts.Expression | undefined): string | undefined {
  if (!node) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => UNREADABLE + literal.text).join("");
}

function filled(title: string, row: readonly string[]): string {
  let next = 0;
  return title.replaceAll(/%[sdifjo]/g, () => row[next++] ?? UNREADABLE);
}
