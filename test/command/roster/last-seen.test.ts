/** last-seen.txt, and a file that is missing. */
import { expect, test } from "vitest";
import { readLastSeen } from "../../../command/roster/last-seen.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { readings } from "./readings.ts";

readings("last-seen.txt");

test("the file of last uses gives an error that names it if it is missing", async () => {
  await expect(readLastSeen(temporaryFile("none.csv"), Date.now())).rejects.toThrow(
    /none\.csv: no such file/,
  );
});
