/** What a terminal shows of an output: it obeys the codes that the output contains. */
import xterm from "@xterm/headless";

/** Has an output in its buffer. Whoever gets it disposes of it. */
export async function terminalOf(output: string, columns: number, rows: number): Promise<xterm.Terminal> {
  // A terminal device writes a line feed as carriage return and line feed.
  const terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  return terminal;
}

/** All lines of a terminal of 120 columns, those that scrolled away too. */
export async function screenOf(output: string): Promise<string> {
  const terminal = await terminalOf(output, 120, 60);
  const { active } = terminal.buffer;
  let shown = "";
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    shown += `${line?.isWrapped ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
  }
  terminal.dispose();
  return shown;
}
