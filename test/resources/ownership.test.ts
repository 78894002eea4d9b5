import { runs } from "./runs.ts";

runs("ownership.txt");
