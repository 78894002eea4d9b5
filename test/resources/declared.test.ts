import { exchanges } from "./exchange.ts";

exchanges("declared.txt");
