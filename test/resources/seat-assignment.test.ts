import { exchanges } from "./exchange.ts";

exchanges("seat-assignment.txt");
