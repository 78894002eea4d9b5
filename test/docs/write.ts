/** `npm run docs`: writes the parts of the documentation that are made from the code, and the lock file for users. */
import { writeUserLock } from "../package/user-lock.ts";
import { writeGeneratedPages } from "./generated.ts";

writeGeneratedPages();
writeUserLock();
