/** One creation of an OrgUser: who, and what sends it. */
import type { User } from "../../api/schemas/schemas.ts";
import type { CallContext } from "../resource.ts";
import type { OrgUserInputs } from "./schema.ts";

export interface Creation {
  readonly news: OrgUserInputs;
  readonly who: string;
  readonly context: CallContext;
  readonly send: () => Promise<User>;
}
