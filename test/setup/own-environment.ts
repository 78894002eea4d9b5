/**
 * Deletes the variables of the shell that orgseat and Pulumi would read: a test has only those that it sets. What the
 * tests read themselves begins with `ORGSEAT_TEST_`. Called before any worker starts, because workers inherit the rest.
 */
export function forgetShell(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment))
    if (/^(ORGSEAT_(?!TEST_)|PULUMI_)/i.test(name)) delete environment[name];
}
