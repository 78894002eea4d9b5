/** "list users": members and admins, with their seats. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Handler, Scope } from "./handler.ts";

/** The product code of every seat in the sandbox. */
const PRODUCT = "commercial";

const userRow = z.object({
  id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: z.string(),
  seat: z.number(),
});
type UserRow = z.output<typeof userRow>;

/** The switch `userList` makes the list odd. */
export const listUsers: Handler = (scope) => ({ items: selected(scope).map(shown) });

function selected(scope: Scope): UserRow[] {
  const users = usersOf(scope);
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
        id: randomUUID(),
        email: `somebody-${index}@other.example`,
      }));
  }
}

/** An admin without a row in `users` is listed by the id of the admin. */
function usersOf({ database, organization }: Scope): UserRow[] {
  return database.all(
    userRow,
    `SELECT id, email, first_name, last_name, role, id IN (SELECT user_id FROM seats) AS seat,
       0 AS is_admin, rowid AS number
     FROM users WHERE organization_id = ?1
     UNION ALL
     SELECT id, username, NULL, NULL, 'admin', 0, 1, rowid FROM admins
     WHERE organization_id = ?1 AND is_admin = 1 AND id NOT IN (SELECT id FROM users)
     ORDER BY is_admin, number`,
    organization.id,
  );
}

/** The service gives a managed user an address. Fields without a value are missing. */
function shown({ id, email, first_name, last_name, role, seat }: UserRow) {
  return {
    id,
    email: addressOf(id, email),
    ...(first_name === null ? {} : { first_name }),
    ...(last_name === null ? {} : { last_name }),
    role,
    subscriptions: seat === 1 ? [PRODUCT] : [],
  };
}

/** The email of a user; that of a managed user is made from the id. */
export function addressOf(id: string, email: string | null): string {
  return email?.includes("@") ? email : `${id}@managed.acme.example`;
}
