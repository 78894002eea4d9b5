import { exchanges } from "./exchange.ts";
import { runs } from "./runs.ts";

exchanges("model-server.txt");
runs("servers.txt");
