/** What people of a roster are told to do: about their row and the command, never about a program's resources. */
import { describe, expect, test } from "vitest";
import { describeFailure } from "../../command/run/failure-texts.ts";
import { adviceCodes } from "../../provider/resources/failures.ts";

const who = "ada@acme.example";

function failureOf(advice: (typeof adviceCodes)[number] | undefined): Parameters<typeof describeFailure>[0] {
  const reason = "cannot issue token: no such user (HTTP 404, POST /users)";
  return {
    text: `${reason}. Replace the OrgUser (\`pulumi up --replace <its URN>\`), then run \`pulumi up\` again.`,
    userId: "u1",
    failure: {
      ...{ text: "", reason, advice, code: "refused", status: 404 },
      ...{ isEffectUnknown: false, isKept: false, isRepetition: false },
    },
  };
}

describe("a failure of a person of a roster", () => {
  test.each(adviceCodes)(
    "keeps its reason with the advice %s, which can be followed without a program",
    (advice) => {
      const text = describeFailure(failureOf(advice), { who, key: "ada" });
      expect(text).toMatch(/^cannot issue token: no such user \(HTTP 404, POST \/users\)\. \S.*\.$/);
      expect(text).not.toMatch(/pulumi|URN|OrgUser|SeatAssignment|UserToken|aliases|replaceExisting|adopt:/);
      expect(text).toContain("orgseat");
    },
  );
});
