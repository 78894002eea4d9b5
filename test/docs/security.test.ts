/** docs/security.md: tests prove what it says about each right and each threat. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { page, section } from "./pages.ts";

/** The tests of each item, by the text before its colon. */
const proofs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "Who can do what": {
    "Change the roster": [
      "test/automation/approved-plan.test.ts",
      "test/command/stories/dates.txt",
      "test/command/stories/results.txt",
    ],
    "Approve plans": ["test/automation/approved-plan.test.ts", "test/command/stories/refresh.txt"],
    "Read the Pulumi backend": ["test/secrets/secrets.test.ts"],
    "Read the backend, with the passphrase or key": [
      "test/secrets/sealed.test.ts",
      "test/resources/sealing.test.ts",
    ],
    // What the service allows is not for this project to prove.
    "Use the credentials": [],
  },
  Credentials: {
    "A secret in an error or an output": [
      "test/provider/api/redact.test.ts",
      "test/provider/api/hostile.test.ts",
      "test/provider/api/proxies.test.ts",
      "test/command/engine/pulumi.test.ts",
      "test/structure.test.ts",
    ],
    "An administrator's password or token": [
      "test/provider/bound-credentials.test.ts",
      "test/provider/api/access-tokens.test.ts",
      "test/resources/service-account.test.ts",
    ],
    "A secret in a file": ["test/secrets/secrets.test.ts", "test/secrets/process-list.test.ts"],
    "A secret in the stack's configuration": ["test/command/doctor/doctor.test.ts"],
    "Other users of the machine, and links in the folder": [
      "test/automation/sealed.test.ts",
      "test/automation/command.test.ts",
      "test/command/roster/text-file.test.ts",
      "test/automation/approved-plan.test.ts",
    ],
    "A changed configuration file redirects a secret in the environment": [
      "test/provider/bound-credentials.test.ts",
      "test/provider/settings.test.ts",
    ],
    "Packages or plugins in the folder of a roster": ["test/automation/foreign-folder.test.ts"],
    "A foreign package named `orgseat`, or a changed dependency": ["test/package/supply-chain.test.ts"],
    "A connection without encryption": ["test/provider/settings.test.ts"],
  },
  Plans: {
    "A change that wasn't approved": [
      "test/automation/approved-plan.test.ts",
      "test/command/stories/refresh.txt",
      "test/provider/member/execute/turns.test.ts",
    ],
    "Control characters in a name": [
      "test/command/cli/output.test.ts",
      "test/command/roster/validation.txt",
      "test/structure.test.ts",
    ],
    "A swapped or foreign key": ["test/command/stories/results.txt"],
    "Sealing turned off": ["test/command/stories/results.txt", "test/automation/sealed.test.ts"],
    "An edit of the state alone, such as of `access_until`": ["test/command/stories/dates.txt"],
    "The nightly `renew`": ["test/command/stories/dates.txt"],
    "A branch that changes the workflow, or approves itself": ["test/examples/ci/"],
    "An emptied organization": [
      "test/command/plan/guards.test.ts",
      "test/command/plan/plans.txt",
      "test/automation/command.test.ts",
      "test/provider/removal-limit.test.ts",
    ],
    "A post-quantum key beside another kind": ["test/provider/recipients.test.ts"],
  },
  "The audit log": {
    "A change without a trace": ["test/provider/audit.test.ts"],
    "A secret or an email": ["test/provider/audit.test.ts"],
  },
};

test.each(Object.entries(proofs))("each item below %s has tests that exist", (title, tests) => {
  const items = section(page("docs/security.md"), title).match(/^- .*$/gm) ?? [];
  expect(items.map((item) => item.slice(2, item.indexOf(": ")))).toEqual(Object.keys(tests));
  const missing = Object.values(tests)
    .flat()
    .filter((path) => !existsSync(join(packageRoot, path)));
  expect(missing).toEqual([]);
});
