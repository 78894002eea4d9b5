/** Prints what each program would change as JSON, and with --yes applies exactly that. With --refresh it reads the service first. */
import { join } from "node:path";
import {
  CommandError,
  ConcurrentUpdateError,
  type EngineEvent,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { type Change, changeIn, messageIn } from "./changes.ts";
import { open, organizations } from "./organizations.ts";

const refresh = process.argv.includes("--refresh");
const cancel = new AbortController();
let isCancelled = false;
// With `once` the SDK would see no listener left, and end this process.
process.on("SIGTERM", () => {
  isCancelled = true;
  cancel.abort();
});
// A terminal sends this to Pulumi too, and a second one would end Pulumi before it has saved the state.
process.on("SIGINT", () => {
  isCancelled = true;
});

await Promise.all(
  organizations.map(async (organization) => {
    try {
      await run(await open(organization));
    } catch (error) {
      console.error(`${organization.name}: ${reasonOf(error)}`);
      process.exitCode = 1;
    }
  }),
);

async function run(stack: Stack): Promise<void> {
  const changes: Change[] = [];
  const show = (event: EngineEvent) => {
    const message = messageIn(event);
    if (message !== undefined) console.error(`${stack.name}: ${message}`);
  };
  const collect = (event: EngineEvent) => {
    show(event);
    changes.push(...changeIn(event));
  };
  // `preview` writes the plan, and `up` makes no other changes.
  const options = { refresh, signal: cancel.signal, plan: join(stack.workspace.workDir, "plan.json") };
  await stack.preview({ ...options, onEvent: collect });
  console.log(JSON.stringify({ organization: stack.name, changes }));
  if (isCancelled || changes.length === 0 || !process.argv.includes("--yes")) return;
  const { summary } = await stack.up({ ...options, onEvent: show });
  console.log(JSON.stringify({ organization: stack.name, result: summary.result }));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof CommandError)) return `a defect of this script: ${error}`;
  if (isCancelled) return "cancelled. Run the script again to do the rest";
  if (error instanceof ConcurrentUpdateError) return "locked by another run. Wait, then run the script again";
  // Its message is all that Pulumi has printed. `show` has shown the errors of resources.
  return `failed: ${/error: .*/.exec(error.message)?.[0] ?? error.message}`;
}
