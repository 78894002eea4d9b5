import { runs } from "./runs.ts";

runs("undecided.txt");
