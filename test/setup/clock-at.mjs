// Preloaded into the processes of a test stack: the provider's clock stands still at the instant in this file's query.
import { systemClock } from "../../dist/provider/api/clock.js";

const at = Date.parse(new URL(import.meta.url).searchParams.get("at") ?? "");
systemClock.now = () => at;
