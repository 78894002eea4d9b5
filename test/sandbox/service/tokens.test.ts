import { talksIn } from "./talk.ts";

talksIn("tokens.txt");
