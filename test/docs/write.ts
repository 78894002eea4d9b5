/** `npm run docs`: writes the parts of the documentation that are made from the code. */
import { writeGeneratedPages } from "./generated.ts";

writeGeneratedPages();
