import { readings } from "./readings.ts";

readings("settings.txt");
