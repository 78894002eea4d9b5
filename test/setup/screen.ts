/** What a terminal of 120 columns shows of an output: it obeys the codes that the output contains. */
import xterm from "@xterm/headless";

/** All lines, those that scrolled away too. */
export async function screenOf(output: string): Promise<string> {
  // A terminal device writes a line feed as carriage return and line feed.
  const terminal = new xterm.Terminal({ cols: 120, rows: 60, convertEol: true, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  let shown = "";
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    shown += `${line?.isWrapped ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
  }
  terminal.dispose();
  return shown;
}
