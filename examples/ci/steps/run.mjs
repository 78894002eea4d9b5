/**
 * Runs `orgseat preview`, `up` or `renew`, and writes its plan or result as Markdown: to the file --plan, and to the summary of
 * the job. With --approved-plan, runs only if the plan is still the same.
 */
import { spawn } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMIT, mask, print, runStep, Stop, truncated } from "./shared.mjs";

const env = process.env;
/** Characters of the result that a comment shows; the rest of it frames them. */
const SHOWN = LIMIT - 5000;

const ARGUMENTS = {
  preview: ["preview", "--markdown", "--exit-code"],
  up: ["up", "--yes"],
  renew: ["renew", "--yes"],
};

async function run({ command, roster, plan, "approved-plan": approved }) {
  if (!Object.hasOwn(ARGUMENTS, command)) {
    throw new Stop(`unknown command "${command}" (expected ${Object.keys(ARGUMENTS).join(", ")})`);
  }
  for (const secret of secrets()) mask(secret);
  if (approved !== "") await requireSamePlan(approved, roster);
  const { code, text } = await orgseat(command, roster);
  print(text);
  const body = command === "preview" ? previewText(code, text) : resultText(command, code, text);
  await writeFile(plan, body);
  if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, body);
  const hasChanges = command === "preview" && code === 2;
  if (env.GITHUB_OUTPUT) {
    await appendFile(env.GITHUB_OUTPUT, `code=${code}\nchanges=${hasChanges}\nplan=${resolve(plan)}\n`);
  }
  return hasChanges ? 0 : code;
}

/** What has changed since the approval, nobody has approved. */
async function requireSamePlan(approved, roster) {
  const wanted = await readFile(approved, "utf8").catch(() => {
    throw new Stop(`cannot read the approved plan ${approved}. No changes were made. Run the preview again`);
  });
  const { code, text } = await orgseat("preview", roster);
  if (changesIn(previewText(code, text)) === changesIn(wanted)) return;
  print(text);
  throw new Stop(
    "the plan has changed since it was approved. No changes were made. The log has the plan of now: run the preview again, and approve its plan",
  );
}

/** Title, changes and reasons of refusals, without notes, such as about access that ends soon. */
function changesIn(plan) {
  const lines = plan.split("\n");
  return lines.filter((line) => /^(###|\||>)/.test(line)).join("\n");
}

/** @returns the exit code and standard output, without secrets */
async function orgseat(command, roster) {
  const own = fileURLToPath(new URL("../node_modules/.bin/orgseat", import.meta.url));
  const args = [...ARGUMENTS[command], `--roster=${roster}`];
  const child = spawn(own, args, { stdio: ["ignore", "pipe", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const code = await new Promise((settle, reject) => {
    child.once("error", ({ message }) => reject(new Stop(`cannot run orgseat: ${message}. Run npm ci`)));
    child.once("close", (exit) => settle(exit ?? 1));
  });
  return { code, text: withoutSecrets(Buffer.concat(chunks).toString("utf8")).trimEnd() };
}

function previewText(code, text) {
  return text === "" ? `### orgseat: preview failed (exit code ${code})\n` : `${text}\n`;
}

function resultText(command, code, text) {
  const end = code === 0 ? "succeeded" : `failed (exit code ${code})`;
  const shown = truncated(text, SHOWN);
  const fence = "`".repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `### orgseat: ${command} ${end}\n\n${fence}text\n${shown}\n${fence}\n`;
}

function secrets() {
  return Object.entries(env)
    .filter(([name]) => /(SECRET|PASSWORD|PASSPHRASE|TOKEN|_KEY)$/.test(name))
    .flatMap(([, value = ""]) => value.split(/\r?\n/))
    .filter((line) => line.trim().length >= 6)
    .sort((a, b) => b.length - a.length);
}

function withoutSecrets(text) {
  return secrets().reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}

await runStep(["command", "roster", "plan", "approved-plan"], run);
