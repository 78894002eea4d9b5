/** Resources without stack traces, and a program's own errors with theirs. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { suspendStackCapture } from "../../sdk/base/stack-capture.ts";
import { OrgMember, OrgUser } from "../../sdk/index.ts";
import { watchRegistrations } from "./mocked.ts";

const frames: number[] = [];

beforeEach(async () => {
  frames.length = 0;
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
  });
  watchRegistrations((request) => frames.push(request.getStacktrace()?.getFramesList().length ?? 0));
});
afterEach(() => vi.restoreAllMocks());

test("stack capture: a member is registered without a stack trace", async () => {
  await pulumi.runtime.runInPulumiStack(async () => {
    new OrgMember("ada", { email: "ada@acme.example", seat: true, token: {} });
  });
  await pulumi.runtime.disconnect();
  // The first one is Pulumi's own, the stack.
  expect(frames).toEqual([expect.any(Number), 0]);
});

test("stack capture: the limit is the program's own again after each resource, and its errors have their stack", () => {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  new OrgUser("grace", { email: "grace@acme.example" });
  expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toEqual(before);
  expect(new Error("of the program").stack).toContain("stack-capture.test.ts");
});

test("stack capture: an error of the constructor names the line of the program", () => {
  const failure = (() => {
    try {
      return new OrgMember("", { email: "ada@acme.example", seat: false });
    } catch (error) {
      return error;
    }
  })();
  expect(failure).toMatchObject({ message: expect.stringContaining("Missing resource name") });
  expect(failure).toMatchObject({ stack: expect.stringContaining("stack-capture.test.ts") });
});

test("stack capture: a limit that is set while it is suspended has no effect", () => {
  const resume = suspendStackCapture();
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    expect(String(new Error("unread").stack)).not.toContain("stack-capture.test.ts");
  } finally {
    resume();
  }
});

test("stack capture: stays as it is where Error is frozen", () => {
  const define = vi.spyOn(Reflect, "defineProperty").mockReturnValue(false);
  suspendStackCapture()();
  expect(define).toHaveBeenCalledOnce();
  expect(new Error("of the program").stack).toContain("stack-capture.test.ts");
});
