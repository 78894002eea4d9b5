/** What uses each operation, which docs/platforms.md lists: every user exists, and every resource and lookup is one. */
import { expect, test } from "vitest";
import { commandLine } from "../../command/cli/main.ts";
import { resourceTypes } from "../../provider/resources/resource-types.ts";
import * as sdk from "../../sdk/index.ts";
import { operationUsers } from "./operation-users.ts";

const verbs = commandLine().commands.map((verb) => `orgseat ${verb.name()}`);
const lookups = Object.keys(sdk).filter((name) => /^get(?!.*Output$)/.test(name));
const used = new Set(Object.values(operationUsers).flat());

test("each operation has a user, and each user is a resource, a lookup, or a verb", () => {
  expect(Object.entries(operationUsers).filter(([, users]) => users.length === 0)).toEqual([]);
  const known = new Set([...Object.keys(sdk), ...verbs]);
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
});

test("each resource and each lookup uses an operation", () => {
  expect(lookups).not.toEqual([]);
  expect([...resourceTypes, ...lookups].filter((name) => !used.has(name))).toEqual([]);
});
