import { exchanges } from "./exchange.ts";

exchanges("org-user.txt");
