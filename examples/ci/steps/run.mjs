/**
 * Runs `orgseat preview`, `up` or `renew`, and writes its plan or result as Markdown: to the file --plan, and to the summary of
 * the job. A preview also writes the plan itself to --plan-file, and `up` applies exactly the plan of that file.
 */
import { spawn } from "node:child_process";
import { appendFile, writeFile } from "node:fs/promises";
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

async function run({ command, roster, plan, ...options }) {
  if (!Object.hasOwn(ARGUMENTS, command)) {
    throw new Stop(`unknown command "${command}" (expected ${Object.keys(ARGUMENTS).join(", ")})`);
  }
  for (const secret of secrets()) mask(secret);
  const { code, text } = await orgseat([
    ...ARGUMENTS[command],
    `--roster=${roster}`,
    ...flag("plan", options["plan-file"]),
    ...flag("approve", options.approve),
  ]);
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

function flag(name, value) {
  return value === "" ? [] : [`--${name}=${value}`];
}

/** Prints what orgseat says on standard error. @returns the exit code and standard output, without secrets */
async function orgseat(args) {
  const own = fileURLToPath(new URL("../node_modules/.bin/orgseat", import.meta.url));
  const child = spawn(own, args, { stdio: ["ignore", "pipe", "pipe"] });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const [chunks, messages] = [[], []];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  child.stderr.on("data", (chunk) => messages.push(chunk));
  const code = await new Promise((settle, reject) => {
    child.once("error", ({ message }) => reject(new Stop(`cannot run orgseat: ${message}. Run npm ci`)));
    child.once("close", (exit) => settle(exit ?? 1));
  });
  const [text, notes] = [chunks, messages].map((all) =>
    withoutSecrets(Buffer.concat(all).toString("utf8")).trimEnd(),
  );
  // It can quote the roster too.
  if (notes !== "") print(notes);
  return { code, text };
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

await runStep(["command", "roster", "plan", "plan-file", "approve"], run);
