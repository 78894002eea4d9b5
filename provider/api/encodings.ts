/** Decodes compressed responses: every request asks for `identity`, but some proxies compress anyway. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";

type Decode = (bytes: Buffer, options: ZlibOptions) => Buffer;

const decoders: Readonly<Record<string, Decode>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  // Some servers leave out the two bytes that RFC 1950 puts in front, the first of which says 8 in its lower half.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
  br: (bytes, { maxOutputLength = 0 }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/**
 * @param header `Content-Encoding`, the last encoding outermost
 * @param most how large the result may be, in bytes
 * @returns `error` where the answer cannot be read
 */
export function decodeResponse(
  bytes: Buffer,
  header: string | string[] | undefined,
  most: number,
): Buffer | { readonly error: "too-large" | "unreadable"; readonly message: string } {
  let decoded = bytes;
  // An answer without a body may name an encoding too.
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
