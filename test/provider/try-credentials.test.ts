import { describe, expect, onTestFinished, test } from "vitest";
import { tryCredentials } from "../../provider/direct/try-credentials.ts";
import { type Script, Service, TestClock } from "./api/service.ts";

async function trying(onToken: Script, environment: Readonly<Record<string, string>> = {}) {
  const service = await Service.start(() => ({ status: 500 }), onToken);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const clock = new TestClock();
  const configuration = {
    config: () => undefined,
    environment: service.variables(environment),
  };
  return { service, clock, attempt: tryCredentials(configuration, clock) };
}

/** @returns the sentence, and how long it took by the clock */
async function refusal({ attempt, clock }: Awaited<ReturnType<typeof trying>>) {
  const begun = clock.monotonic();
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return { text: error instanceof Error ? error.message : "", ms: clock.monotonic() - begun };
}

const token = { body: { access_token: "access-1", token_type: "Bearer", expires_in: 900 } };

describe("trying the credentials", () => {
  test("sends one token request with the service account, and no call", async () => {
    const { service, attempt } = await trying(() => token);
    await attempt;
    expect(service.tokenRequests.map(({ body }) => body)).toEqual([
      "grant_type=client_credentials&client_id=the-client&client_secret=client-secret-0815",
    ]);
    expect(service.calls).toEqual([]);
  });

  test("names the address and the credential that the service refuses, and shows no secret", async () => {
    const body = { error: "invalid_client", error_description: "wrong: client-secret-0815" };
    const { text } = await refusal(await trying(() => ({ status: 401, body })));
    expect(text).toMatch(
      /^cannot get an access token from http:\/\/127\.0\.0\.1:\d+\/token: .*orgseat:clientId.*Correct the credentials$/,
    );
    expect(text).not.toContain("client-secret-0815");
  });

  test.each([
    [
      "credentials",
      { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" },
      /the service account is missing\. Set/,
    ],
    ["an address", { ORGSEAT_TOKEN_URL: "" }, /missing orgseat configuration: .*orgseat:tokenUrl/],
  ])("names what to set, and sends nothing, without %s", async (_, environment, why) => {
    const run = await trying(() => token, environment);
    expect((await refusal(run)).text).toMatch(why);
    expect(run.service.tokenRequests).toEqual([]);
  });

  test("takes six seconds at most if the service is down, and names the address without its query", async () => {
    const gone = await Service.start(() => ({}));
    const address = `${gone.url}/token`;
    await gone[Symbol.asyncDispose]();
    const run = await trying(() => token, { ORGSEAT_TOKEN_URL: `${address}?key=hidden` });
    const { text, ms } = await refusal(run);
    expect(text).toContain(`cannot get an access token from ${address}: `);
    expect(text).toContain("connection refused");
    expect(text).not.toContain("hidden");
    expect(ms).toBeLessThanOrEqual(6000);
  });

  test("goes on with the token of a later try if the service fails now and then", async () => {
    const run = await trying((_, count) => (count < 3 ? { status: 503 } : token));
    await expect(run.attempt).resolves.toBeUndefined();
    expect(run.service.tokenRequests).toHaveLength(3);
  });
});
