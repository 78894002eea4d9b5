/** The generated parts of the documentation are those of the code. */
import { expect, test } from "vitest";
import { generatedPages } from "./generated.ts";
import { messagesIn } from "./messages.ts";
import { page } from "./pages.ts";

test.each(Object.entries(generatedPages))(
  "%s matches the code; if not, run `npm run docs`",
  (path, generated) => {
    expect(page(path)).toBe(generated());
  },
);

test("messages are all texts of several words, with names for their values", () => {
  const source = `
    import { read } from "a module with spaces";
    type Form = "a type of texts";
    const HINT = "run the command again";
    throw new ApiError(\`cannot read \${file.name}: \${reasonOf(error)}. \${HINT}\`);
    context.warn(explain("a-key"), HINT);
    function explain(who: string) { return \`the seat of \${who} is "\${a + b}"\`; }
  `;
  expect(messagesIn("example.ts", source)).toEqual([
    "run the command again",
    "cannot read <name>: <reasonOf>. <HINT>",
    'the seat of <who> is "<...>"',
  ]);
});
