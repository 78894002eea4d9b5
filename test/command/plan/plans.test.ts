import { plans } from "./plans.ts";

plans("plans.txt");
