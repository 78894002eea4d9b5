import { exchanges } from "./exchange.ts";

exchanges("user-token.txt");
