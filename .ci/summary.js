// Prints what the test runner counted, from its own report, with the failures last. Every skipped test stands in
// skips.txt, by name or pattern; any other skip fails, and so do a pattern without a test and a report without a
// passed test.
import { readFileSync } from "node:fs";

const MOST_CHARACTERS = 600;

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const allowed = readFileSync(new URL("skips.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => ({
    line,
    pattern: new RegExp(`^${line.split("*").map(RegExp.escape).join(".*")}$`),
  }));
const tests = report.testResults.flatMap((file) => file.assertionResults);
const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
const problems = report.testResults.flatMap(({ name, message, assertionResults }) => [
  ...(message ? [`${name}: ${message}`] : []),
  ...assertionResults
    .filter(({ status }) => status === "failed")
    .map(
      ({ fullName, failureMessages }) =>
        `${fullName}: ${failureMessages.join(" ").slice(0, MOST_CHARACTERS)}`,
    ),
]);
const unlisted = skipped.filter(({ fullName }) => !allowed.some(({ pattern }) => pattern.test(fullName)));
const unused = allowed.filter(({ pattern }) => !tests.some(({ fullName }) => pattern.test(fullName)));

for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
for (const problem of problems) console.log(`failed: ${problem}`);
for (const { fullName } of unlisted) console.log(`not in .ci/skips.txt: ${fullName}`);
for (const { line } of unused) console.log(`in .ci/skips.txt, but no test's name: ${line}`);
const passed = count("passed");
const failed = Math.max(count("failed"), report.success ? 0 : 1);
if (passed === 0 || failed > 0 || unlisted.length + unused.length > 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
