import { readings } from "./readings.ts";

readings("folders.txt");
