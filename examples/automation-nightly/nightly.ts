/** Every night: renews the tokens that are due, writes the report, and fails if a token still expires within a week. */
import { writeFile } from "node:fs/promises";
import { CodedError, countsOf, renew, report, reportForms } from "orgseat/automation";

const organization = { roster: "people.csv" };

try {
  const { status, preview } = await renew(organization);
  console.log(`${status}: ${countsOf(preview.plan).tokensRenewed} tokens to renew`);

  const found = await report({ ...organization, month: new Date().toISOString().slice(0, 7) });
  await writeFile("report.html", reportForms.html(found));
  await writeFile("report.csv", reportForms.csv(found));
  console.log(reportForms.text(found));

  const ending = found.people.filter(({ token }) => token !== null && token.daysLeft < 7);
  for (const { email, purpose, token } of ending) {
    console.error(`${email ?? purpose}: the token expires in ${token?.daysLeft} days, and nothing renews it`);
  }
  process.exitCode = status === "succeeded" && ending.length === 0 ? 0 : 1;
} catch (error) {
  // What a user can act on, such as every error of the roster with its line. `error.code` is its code.
  if (!(error instanceof CodedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
