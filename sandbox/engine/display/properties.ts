/** Property values for people: outputs and differences, secrets masked. */
import { changedKeys } from "../diffs.ts";
import type { Step } from "../steps/step.ts";
import { containsUnknowns, isMap, type PropertyMap, Secret, Unknown, type Value } from "../values.ts";
import type { Paint } from "./text.ts";

interface RenderOptions {
  paint: Paint;
  showSecrets: boolean;
  planning: boolean;
}

function render(value: Value, options: RenderOptions, indent: string): string {
  if (value instanceof Secret) return options.showSecrets ? render(value.value, options, indent) : "[secret]";
  if (value instanceof Unknown) return "[unknown]";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const inner = `${indent}    `;
    return `[\n${value.map((item, index) => `${inner}[${index}]: ${render(item, options, inner)}\n`).join("")}${indent}]`;
  }
  if (isMap(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return "{}";
    const inner = `${indent}    `;
    const width = Math.max(...keys.map((key) => key.length));
    const lines = keys.map(
      (key) => `${inner}${key.padEnd(width)}: ${render(value[key] ?? null, options, inner)}\n`,
    );
    return `{\n${lines.join("")}${indent}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The stack's outputs with what changed in them. */
export function renderOutputs(olds: PropertyMap, news: PropertyMap, options: RenderOptions): string {
  const changes = changedKeys(olds, news);
  if (options.planning) {
    // That a known output may change is no news in a preview.
    for (const [key, kind] of changes) {
      if (kind === "update" && containsUnknowns(news[key] ?? null)) changes.delete(key);
    }
    if (changes.size === 0) return "";
  }
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
  const width = Math.max(0, ...keys.map((key) => key.length));
  const first = Object.keys(olds).length === 0;
  return keys
    .map((key) => {
      const kind = changes.get(key);
      const before = render(olds[key] ?? null, options, "    ");
      const after = render(news[key] ?? null, options, "    ");
      const name = key.padEnd(width);
      if (kind === "delete") return options.paint("red", `  - ${name}: ${before}`);
      if (kind === "add")
        return first ? `    ${name}: ${after}` : options.paint("green", `  + ${name}: ${after}`);
      if (kind === "update") return options.paint("yellow", `  ~ ${name}: ${before} => ${after}`);
      return `    ${name}: ${after}`;
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** What a step changes in the inputs, a line a property. */
export function renderDiff(step: Step, paint: Paint, showSecrets: boolean): string {
  const options = { paint, showSecrets, planning: false };
  const olds = step.op === "create" || step.op === "create-replacement" ? {} : (step.old?.inputs ?? {});
  const news = step.new?.inputs ?? {};
  const lines: string[] = [];
  for (const [key, kind] of changedKeys(olds, news)) {
    if (key.startsWith("__")) continue;
    const before = render(olds[key] ?? null, options, "        ");
    const after = render(news[key] ?? null, options, "        ");
    if (kind === "add") lines.push(paint("green", `      + ${key}: ${after}`));
    else if (kind === "delete") lines.push(paint("red", `      - ${key}: ${before}`));
    else lines.push(paint("yellow", `      ~ ${key}: ${before} => ${after}`));
  }
  return lines.map((line) => `${line}\n`).join("");
}
