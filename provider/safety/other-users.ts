/**
 * The users in the state of a stack whom a run of the command `orgseat` does not compare, as a file: no new resource of the
 * run may get one of them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { ownerKey } from "../resources/ownership.ts";

const usersSchema = z.array(z.strictObject({ organizationId: z.string(), userId: z.string() }));
type OtherUsers = z.output<typeof usersSchema>;

/** In place of the instance of a resource. */
const IN_STATE = "state";

export function writeOtherUsers(file: string, users: OtherUsers): void {
  writeFileSync(file, JSON.stringify(users), { mode: 0o600, flag: "wx" });
}

/** The owners of a run before it owns anything: the users of the file. @throws if the file cannot be read */
export function readOtherUsers(file: string): Map<string, string> {
  const users = usersSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return new Map(
    users.map(({ organizationId, userId }) => [ownerKey("OrgUser", userId, organizationId), IN_STATE]),
  );
}
