import { exchanges } from "./exchange.ts";

exchanges("import.txt");
