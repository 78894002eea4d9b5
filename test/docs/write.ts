/** `npm run docs`: writes what is made from the code: parts of the documentation, the lock file for users, and the public API. */
import { writePublicApi } from "../package/public-api.ts";
import { writeUserLock } from "../package/user-lock.ts";
import buildOnce from "../setup/build.ts";
import { writeGeneratedPages } from "./generated.ts";

writeGeneratedPages();
writeUserLock();
buildOnce();
await writePublicApi();
