import { readings } from "./readings.ts";

readings("yaml.txt");
