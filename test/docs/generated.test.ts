/** The generated parts of the documentation are those of the code. */
import { expect, test } from "vitest";
import { generatedPages } from "./generated.ts";
import { page } from "./pages.ts";

test.each(Object.entries(generatedPages))(
  "%s matches the code; if not, run `npm run docs`",
  (path, generated) => {
    expect(page(path)).toBe(generated());
  },
);
