/** Fields of a roster that not every service supports: refused when the organization is opened, with their rows. */
import { expect, test } from "vitest";
import { directFixture } from "./fixture.ts";

test.each([
  ["an email", "send_email", "yes", "send_email"],
  ["a tolerance", "expiration_tolerance_months", "2", "expiration_tolerance_months"],
  ["a period", "expires", "60d", "a period in `expires` \\(use `rotate_every`\\)"],
  ["an adopted token", "user_id,token", "7a1f,adopt", "the token `adopt`"],
])("a roster with %s is refused where the service has no such thing", async (_, columns, row, name) => {
  for (const platform of ["basic", "anaconda"] as const) {
    const fixture = await directFixture(10, platform);
    const text = `# organization: ${fixture.organizationId}\nemail,${columns}\nada@acme.example,${row}\n`;
    const opened = await fixture.open(text).catch((error: unknown) => error);
    if (platform === "anaconda")
      expect(opened).toMatchObject({ roster: { people: [{ key: "ada@acme.example" }] } });
    else {
      const refusal = expect.stringMatching(
        RegExp(`^this API does not support ${name}: .*people.csv, line 3\\. `),
      );
      expect(opened).toMatchObject({ message: refusal });
    }
  }
});
