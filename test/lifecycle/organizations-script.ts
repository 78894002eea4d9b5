/** A script for several organizations, as an engineer writes it: inline programs that run at the same time in one process. */
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { getServiceAccounts, getUsers, OrgUser } from "orgseat";
import { z } from "zod";

const organizationSchema = z.object({
  /** Of the stack, and of its one person. */
  name: z.string(),
  configuration: z.record(z.string(), z.object({ value: z.string(), secret: z.boolean() })),
  envVars: z.record(z.string(), z.string()),
  /** Of lookups by an administrator, and by a service account. */
  options: z.object({ admin: z.record(z.string(), z.any()), account: z.record(z.string(), z.any()) }),
});
const inputSchema = z.object({ workDir: z.string(), organizations: z.array(organizationSchema) });
export type ScriptInput = z.input<typeof inputSchema>;
export const resultSchema = z.object({
  name: z.string(),
  error: z.string().optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});

if (import.meta.main) {
  const { workDir, organizations } = inputSchema.parse(JSON.parse(process.argv[2] ?? ""));
  let waiting: (() => void)[] = [];
  /** Ends when all programs are here, so that each step of one is between steps of the others. */
  const together = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < organizations.length) return;
      for (const go of waiting) go();
      waiting = [];
    });
  const stackOf = ({ name, envVars, options }: (typeof organizations)[number]) => {
    const program = async () => {
      await together();
      const accounts = await getServiceAccounts(options.admin);
      const ada = new OrgUser("ada", { email: `ada@${name}.example` });
      await together();
      const users = await getUsers(options.account);
      return {
        organizations: [...new Set(accounts.map(({ organizationId }) => organizationId))],
        emails: users.map(({ email }) => email),
        userId: ada.userId,
      };
    };
    return LocalWorkspace.createOrSelectStack(
      { stackName: name, projectName: "organizations", program },
      { workDir, envVars, projectSettings: { name: "organizations", runtime: "nodejs" } },
    );
  };
  const stacks = [];
  for (const one of organizations) {
    const stack = await stackOf(one);
    await stack.setAllConfig(one.configuration);
    stacks.push(stack);
  }
  const runs = stacks.map(async (stack) => {
    await stack.preview();
    await stack.up();
    const { outputs } = await stack.up();
    return Object.fromEntries(Object.entries(outputs).map(([key, { value }]) => [key, value]));
  });
  const settled = await Promise.allSettled(runs);
  const results = settled.map((result, index) => {
    const name = organizations[index]?.name;
    return result.status === "fulfilled"
      ? { name, outputs: result.value }
      : { name, error: String(result.reason) };
  });
  console.log(JSON.stringify(results));
  process.exit();
}
