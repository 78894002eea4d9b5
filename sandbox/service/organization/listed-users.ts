/** "list users": members and admins, with their seats. */
import { z } from "zod";
import { memberRoles, userListQuerySchema } from "../../../provider/api/schemas/anaconda-schemas.ts";
import type { Handler, Scope } from "../base/handler.ts";
import { idOf } from "./data-set.ts";

/** The product code of every seat in the sandbox. */
const PRODUCT = "commercial";

const userRow = z.object({
  id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: z.enum(memberRoles),
  seat: z.number(),
});
type UserRow = z.output<typeof userRow>;

/** The switch `userList` makes the list odd. */
export const listUsers: Handler = (scope) => {
  const { include_groups } = userListQuerySchema.parse(scope.query);
  const groups = include_groups ? { groups: [] } : {};
  return { items: selected(scope).map((user) => ({ ...shown(user), ...groups })) };
};

function selected(scope: Scope): UserRow[] {
  const users = usersOf(scope);
  if (scope.switches.accountRights === "none")
    return users.filter(({ role }) => role === "admin").slice(0, 1);
  switch (scope.switches.userList) {
    case "all":
      return users;
    case "empty":
      return [];
    case "half":
      return users.filter(({ role }, index) => role === "admin" || index % 2 === 0);
    case "other-organization":
      return users.map((user, index) => ({
        ...user,
        id: idOf(`member ${index} of another organization`),
        email: `somebody-${index}@other.example`,
      }));
  }
}

/** Those with a password last, which the seed inserts first. */
function usersOf({ database, organization }: Scope): UserRow[] {
  return database.all(
    userRow,
    `SELECT id, email, first_name, last_name, role, id IN (SELECT user_id FROM seats) AS seat
     FROM users WHERE organization_id = ? ORDER BY id IN (SELECT id FROM admins), rowid`,
    organization.id,
  );
}

/** The service gives a machine user an address. Fields without a value are missing. */
function shown({ id, email, first_name, last_name, role, seat }: UserRow) {
  return {
    id,
    email: email ?? `${id}@managed.acme.example`,
    ...(first_name === null ? {} : { first_name }),
    ...(last_name === null ? {} : { last_name }),
    role,
    subscriptions: seat === 1 ? [PRODUCT] : [],
  };
}
