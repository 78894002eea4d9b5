/** Reads the rosters whose paths it gets, one after the other, and says what came of each and what it took. */
import { RosterError } from "../../../../command/roster/formats/validation.ts";
import { readRoster } from "../../../../command/roster/read.ts";

process.on("message", async (file: string) => {
  const before = process.cpuUsage();
  const outcome = await outcomeOf(file);
  const { user, system } = process.cpuUsage(before);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  process.send?.({ ...outcome, seconds: (user + system) / 1e6, megabytes });
});

async function outcomeOf(file: string): Promise<object> {
  try {
    const { organizationId, people } = await readRoster(file);
    return { read: { organizationId, count: people.length, people: people.slice(0, 100) } };
  } catch (error) {
    if (error instanceof RosterError) return { refused: { message: error.message, issues: error.issues } };
    return { crashed: error instanceof Error ? `${error.stack}` : String(error) };
  }
}
