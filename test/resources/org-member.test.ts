/** A person as one resource; one-token.txt and unreadable.txt have what a service does or says otherwise. */
import { expect, test } from "vitest";
import { inputs, outputs } from "../../provider/member/resource/schema.ts";
import { runs } from "./runs.ts";

for (const name of ["org-member.txt", "one-token.txt", "unreadable.txt"]) runs(name);

test("an OrgMember repeats no input of another shape in its outputs", () => {
  const shared = Object.keys(outputs.shape).filter((key) => key in inputs);
  expect(shared).toEqual(["email", "purpose", "lastName", "organizationId", "credentials"]);
});
