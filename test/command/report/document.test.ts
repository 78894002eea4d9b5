/** docs/reports.md: its fields and columns are those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { factsOf } from "../../../command/report/facts.ts";
import { buildReport } from "../../../command/report/report.ts";
import { reportSchema } from "../../../command/report/schema.ts";
import { csvOf } from "../../../command/report/texts/csv.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { now, roster } from "./organization.ts";

const document = readFileSync(join(packageRoot, "docs", "reports.md"), "utf8");
const [, csv = "", json = ""] = document.split(/^## /m);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly items?: Node | undefined;
  readonly anyOf?: readonly Node[] | undefined;
}
const nodeSchema: z.ZodType<Node> = z.lazy(() =>
  z.object({
    properties: z.record(z.string(), nodeSchema).optional(),
    items: nodeSchema.optional(),
    anyOf: z.array(nodeSchema).optional(),
  }),
);

/** The paths of all values; of an object or a list only where it may be null too. */
function pathsOf(node: Node, path: string): string[] {
  const choices = node.anyOf ?? [node];
  const inside = choices.flatMap(({ properties, items }) => [
    ...Object.entries(properties ?? {}).flatMap(([name, value]) =>
      pathsOf(value, path === "" ? name : `${path}.${name}`),
    ),
    ...(items?.properties ? pathsOf(items, `${path}[]`) : []),
  ]);
  return inside.length === 0 || node.anyOf !== undefined ? [path, ...inside] : inside;
}

describe("docs/reports.md", () => {
  test("lists each field of the JSON form, and no other", () => {
    const listed = json
      .split("\n")
      .flatMap((row) => namesIn(/^- ((?:`[^`]+`(?:, )?)+)/.exec(row)?.[1] ?? ""));
    const fields = pathsOf(nodeSchema.parse(z.toJSONSchema(reportSchema)), "");
    expect(fields).toContain("people[].token.daysLeft");
    expect(listed.toSorted()).toEqual(fields.toSorted());
  });

  test("lists the columns of the CSV form, in their order", () => {
    const [head] = csvOf(buildReport(factsOf("people", undefined, roster([]), undefined, { now }))).split(
      "\n",
    );
    expect(namesIn(csv)).toEqual(head?.replace("\ufeff", "").split(","));
  });
});
