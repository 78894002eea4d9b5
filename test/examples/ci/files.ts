/** The files of `examples/ci` as they are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { examplesFolder } from "../example.ts";
import type { FileName, Files } from "./workflow.ts";

export const folder = join(examplesFolder, "ci");

export const paths: Readonly<Record<FileName, string>> = {
  preview: ".github/workflows/preview.yml",
  plan: ".github/workflows/plan.yml",
  up: ".github/workflows/up.yml",
  nightly: ".github/workflows/nightly.yml",
  action: "action.yml",
  plain: "plain.yml",
  program: "program.yml",
};

/** @param path inside the folder */
export function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

export const files: Files = {
  preview: read(paths.preview),
  plan: read(paths.plan),
  up: read(paths.up),
  nightly: read(paths.nightly),
  action: read(paths.action),
  plain: read(paths.plain),
  program: read(paths.program),
};
