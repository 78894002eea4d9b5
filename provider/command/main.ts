/** The command `orgseat`. Every verb loads its code only when it runs. */
import { Command } from "commander";

/** Runs one command line. @param argv as `process.argv`. The exit code is left in `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("orgseat").description(
    "What helps with organizations that a Pulumi program manages.",
  );
  program
    .command("doctor")
    .description("say what is configured and what works, by reads and token requests only")
    .option("--stack <name>", "the stack whose configuration counts; default: the selected one")
    .option("--json", "print the report as JSON")
    .action(async ({ stack, json }: { stack?: string; json?: boolean }) => {
      const [{ diagnose }, { inWords }] = await Promise.all([import("./doctor.ts"), import("./report.ts")]);
      const report = await diagnose({ environment: process.env, folder: process.cwd(), stack });
      console.log(json ? JSON.stringify(report, null, 2) : inWords(report));
      process.exitCode = report.ok ? 0 : 1;
    });
  await program.parseAsync([...argv]);
}
