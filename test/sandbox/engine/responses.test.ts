/** Answers of providers, read with suspicion. */
import grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import structPb from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, test } from "vitest";
import {
  diffOf,
  markedProperties,
  propertiesOf,
  providerErrorOf,
} from "../../../sandbox/engine/rpc/responses.ts";
import { Secret } from "../../../sandbox/engine/values.ts";

describe("answers of providers", () => {
  const signature = "4dabf18193072939515e22adb298388d";
  const struct = (value: Record<string, structPb.JavaScriptValue>) => structPb.Struct.fromJavaScript(value);
  const real = { unknowns: false };

  test.for<[what: string, value: Record<string, structPb.JavaScriptValue>, says: string]>([
    ["an unknown mark", { a: [{ [signature]: "no such thing" }] }, "unrecognized signature 'no such thing'"],
    [
      "a secret without a value",
      { a: { [signature]: "1b47061264138c4ac30d75fd1eb44270" } },
      'a marked value for "a" came without its "value"',
    ],
    [
      "an unknown value where all is known",
      { a: { b: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" } },
      'unexpected unknown property value for "b"',
    ],
  ])("fail and name the property: %s", ([, value, says]) => {
    expect(() => propertiesOf(struct(value), real)).toThrow(says);
    expect(() => propertiesOf(struct(value), real)).toThrow("report it to its authors");
  });

  test("fail for a value of no known kind", () => {
    const malformed = new structPb.Struct();
    malformed.getFieldsMap().set("a", new structPb.Value());
    expect(() => propertiesOf(malformed, real)).toThrow("of none of the protocol's kinds");
  });

  test("stay secret as the input was if the plugin cannot mark secrets", () => {
    const ins = { word: new Secret("hush"), open: 1 };
    const outs = struct({ word: "hush", open: 1 });
    const told = markedProperties(outs, ins, { ...real, keepsSecrets: false });
    expect([told.word instanceof Secret, told.open]).toEqual([true, 1]);
    expect(markedProperties(outs, ins, { ...real, keepsSecrets: true }).word).toBe("hush");
  });

  test("fail for an unknown difference, and count an unknown kind of change as an update", () => {
    const response = new providerPb.DiffResponse();
    response.setHasdetaileddiff(true);
    const detail = new providerPb.PropertyDiff();
    Reflect.apply(detail.setKind, detail, [42]);
    response.getDetaileddiffMap().set("a", detail);
    expect(diffOf("urn", response).detailed?.get("a")).toEqual({ kind: "update", inputDiff: false });
    Reflect.apply(response.setChanges, response, [7]);
    expect(() => diffOf("urn", response)).toThrow("unrecognized diff state for urn: 7");
  });

  test("leave a resource in doubt only after a failure that the provider cannot judge", () => {
    const failed = (code: grpc.status) => {
      const error = Object.assign(new Error("x"), {
        code,
        details: "it failed",
        metadata: new grpc.Metadata(),
      });
      return providerErrorOf(
        error,
        () => ({}),
        () => ({}),
      );
    };
    expect(failed(grpc.status.UNKNOWN)).toMatchObject({ message: "it failed", unsure: true });
    expect(failed(grpc.status.INVALID_ARGUMENT)).toMatchObject({ message: "it failed", unsure: false });
  });
});
