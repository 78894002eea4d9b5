import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { during, failureOf, Service } from "./service.ts";

const issued = JSON.stringify({ token: "seat-token-1", expires_at: null });
const compressed = (encoding: string, body: Buffer) => ({ headers: { "content-encoding": encoding }, body });

describe("D54: an answer that comes compressed although nobody asked for it", () => {
  test.each([
    ["gzip", gzipSync(issued)],
    ["x-gzip", gzipSync(issued)],
    ["deflate", deflateSync(issued)],
    ["deflate", deflateRawSync(issued)],
    ["br", brotliCompressSync(issued)],
    ["deflate, GZIP", gzipSync(deflateSync(issued))],
    ["identity", Buffer.from(issued)],
  ])("decompresses %s", async (encoding, body) => {
    await using service = await Service.start(() => compressed(encoding, body));
    const answer = await service.organization().issueToken("u", "2027-06-30", during());
    expect(answer.token).toBe("seat-token-1");
  });

  test("decompresses an error, and takes an empty body for none", async () => {
    const refusal = gzipSync(JSON.stringify({ error: { code: "X", message: "no seat left" } }));
    await using service = await Service.start((_, count) =>
      count === 1 ? { status: 402, ...compressed("gzip", refusal) } : compressed("gzip", Buffer.alloc(0)),
    );
    const error = await failureOf(service.organization().assignSeat("u", during()));
    expect(error).toMatchObject({ code: "refused", status: 402, effectUnknown: false });
    expect(error.message).toContain("no seat left");
    await service.organization().assignSeat("u", during());
  });

  test.each([
    [
      "grows beyond 8 MiB",
      "gzip",
      gzipSync(Buffer.alloc(9 * 1024 * 1024)),
      "larger than 8388608 bytes, decompressed",
    ],
    [
      "grows beyond 8 MiB",
      "br",
      brotliCompressSync(Buffer.alloc(9 * 1024 * 1024)),
      "larger than 8388608 bytes",
    ],
    ["is cut", "gzip", gzipSync(issued).subarray(0, 20), "declared as gzip and cannot be decompressed"],
    ["is something else", "br", Buffer.from(issued), "declared as br and cannot be decompressed"],
    ["is in an unknown encoding", "compress", Buffer.from(issued), "an encoding that was not requested"],
  ])(
    "leaves an unknown effect if it %s (%s), and the request is not repeated",
    async (_, encoding, body, reason) => {
      await using service = await Service.start(() => compressed(encoding, body));
      const error = await failureOf(service.organization().issueToken("u", "2027-06-30", during()));
      expect(error).toMatchObject({ code: "bad-answer", effectUnknown: true });
      expect(error.message).toContain(reason);
      expect(service.calls).toHaveLength(1);
    },
  );
});
