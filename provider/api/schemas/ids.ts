/** The ids in paths: those that the service makes, and the id of an organization, which people choose and write. */
import { z } from "zod";
import { firstCharacter } from "../../util/text.ts";

/** An id that the service made: a GUID in all known services, and never a text that a path would have to escape. */
export const idSchema = z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/, "not an id");

/** What separates the parts of an address, and what no one sees in one. */
const NOT_IN_ID = /[/?#\\]|\p{White_Space}|\p{Cc}|\p{Cf}|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;

/**
 * The id of an organization: its name in the addresses of the service, such as `acme-data`, or a GUID. Program, roster,
 * configuration, and plugin have this schema alone. Paths encode it.
 */
export const organizationIdSchema = z.string().superRefine((text, context) => {
  const issue = issueOf(text);
  if (issue === undefined) return;
  const message = `not an organization id: ${issue}. Copy it from the address of the organization in the console`;
  context.addIssue({ code: "custom", message });
});

function issueOf(text: string): string | undefined {
  if (text === "") return "it is empty";
  // A path with them is another path, even if they are encoded.
  if (text === "." || text === "..") return `"${text}" is no name in an address`;
  const found = firstCharacter(text, NOT_IN_ID);
  return found && `it contains ${found.codePoint} in column ${found.column}`;
}
