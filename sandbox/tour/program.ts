/** The program of the tour: files that a user could copy, and the changes of a chapter. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../pulumi/package-root.ts";

/** The parts of the program that chapters change. */
export interface TourRoster {
  readonly people: readonly string[];
  /** Incremented to rotate the token of the machine user. */
  readonly rotation: number;
}

export const PROJECT_NAME = "acme";
export const MANAGED_USER = "Linux builds";

const PROJECT_FILE = `name: ${PROJECT_NAME}
main: index.ts
runtime:
  name: nodejs
  options:
    typescript: false
    nodeargs: --stack-trace-limit=0
`;

/** `index.ts` for a roster. */
function programText({ people, rotation }: TourRoster): string {
  return `import { OrgMember } from "orgseat";

const people = [
${people.map((email) => `  "${email}",`).join("\n")}
];

// Machine users: the name is the purpose of the token.
const machineUsers = [
  { purpose: "${MANAGED_USER}", rotation: ${rotation} },
];

for (const email of people) new OrgMember(email, { email, seat: true, token: {} });
for (const { purpose, rotation } of machineUsers) {
  new OrgMember(purpose, { purpose, seat: true, token: { rotation } });
}
`;
}

/** Creates the project's folder: its files, and a link to the packages. */
export function writeProject(folder: string): void {
  writeFileSync(join(folder, "Pulumi.yaml"), PROJECT_FILE);
  const packageFile = { name: PROJECT_NAME, type: "module", private: true };
  writeFileSync(join(folder, "package.json"), JSON.stringify(packageFile));
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"), "junction");
}

/** @returns the new lines with a plus, and the removed lines with a minus */
export function writeProgram(folder: string, roster: TourRoster, before: TourRoster | undefined): string[] {
  const text = programText(roster);
  writeFileSync(join(folder, "index.ts"), text);
  const now = text.trimEnd().split("\n");
  if (before === undefined) return now;
  const then = programText(before).trimEnd().split("\n");
  return [
    ...then.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !then.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}
