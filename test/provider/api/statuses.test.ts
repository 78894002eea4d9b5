/** What the status of a failure means, by the only rule for it. */
import { expect, test } from "vitest";
import type { ApiErrorCode } from "../../../provider/api/calls/errors.ts";
import { codeOf } from "../../../provider/api/client/responses.ts";

/** For a read with an answer of the contract, one in another form, a creation, and the token endpoint. */
const meanings: readonly (readonly [number[], ApiErrorCode[]])[] = [
  [
    [200, 201, 204, 299],
    ["refused", "refused", "refused", "refused"],
  ],
  [
    [300, 301, 302, 303, 307, 308, 399],
    ["unknown-route", "unknown-route", "no-answer", "unknown-route"],
  ],
  [
    [400, 403],
    ["refused", "refused", "refused", "unauthorized"],
  ],
  [[401], ["unauthorized", "unauthorized", "unauthorized", "unauthorized"]],
  [
    [402, 409, 418, 422, 499],
    ["refused", "refused", "refused", "refused"],
  ],
  [
    [404, 410],
    ["refused", "unknown-route", "refused", "unknown-route"],
  ],
  [[405], ["unknown-route", "unknown-route", "unknown-route", "unknown-route"]],
  [[429], ["rate-limited", "rate-limited", "rate-limited", "rate-limited"]],
  [
    [500, 502, 503, 504, 999],
    ["service-failed", "service-failed", "service-failed", "service-failed"],
  ],
];

test.each(meanings)("follows the table: HTTP %j", (statuses, codes) => {
  for (const status of statuses)
    expect([
      codeOf(status, true, true),
      codeOf(status, false, true),
      codeOf(status, true, false),
      codeOf(status, false, true, [400, 401, 403]),
    ]).toEqual(codes);
});
