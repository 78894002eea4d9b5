/** Decodes compressed responses: every request asks for `identity`, but some proxies compress anyway. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";

type Decode = (bytes: Buffer, options: ZlibOptions) => Buffer;

const decoders: Readonly<Record<string, Decode>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  // Some servers omit the two-byte header of RFC 1950, whose first byte has 8 in its lower half.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
  br: (bytes, { maxOutputLength = 0 }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/**
 * @param header `Content-Encoding`, the last encoding outermost
 * @param most the maximum size of the result, in bytes
 * @returns `error` where the response cannot be decoded
 */
export function decodeResponse(
  bytes: Buffer,
  header: string | string[] | undefined,
  most: number,
): Buffer | { readonly error: "too-large" | "unreadable"; readonly message: string } {
  let decoded = bytes;
  // A response without a body can have an encoding too.
  for (const name of bytes.length === 0 ? [] : encodingsOf(header)) {
    const decode = decoders[name];
    if (!decode)
      return { error: "unreadable", message: "the response has an encoding that was not requested" };
    try {
      decoded = decode(decoded, { maxOutputLength: most });
    } catch (error) {
      const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      return isTooLarge
        ? { error: "too-large", message: `the response is larger than ${most} bytes, decompressed` }
        : { error: "unreadable", message: `the response is declared as ${name} and cannot be decompressed` };
    }
  }
  return decoded;
}

/** The outermost first. */
function encodingsOf(header: string | string[] | undefined): string[] {
  const names = [header ?? []].flat().join(",").toLowerCase().split(",");
  return names
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .reverse();
}
