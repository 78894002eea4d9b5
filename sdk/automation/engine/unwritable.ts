/** The error for a folder that orgseat needs and cannot write. @param cause the error of the file system */
export function unwritable(folder: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return new Error(
    `cannot write ${folder} (${code}). Make the folder of the roster writable, or copy the roster to a folder that is`,
  );
}
