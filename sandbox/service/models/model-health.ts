/** "check model area" and the health of its parts, in dialects that have them. */
import type { ModelHandler } from "../base/handler.ts";

export const checkModelArea: ModelHandler = () => undefined;

const healthy =
  (part: string): ModelHandler =>
  () => ({ data: { message: `${part} are available` } });

export const checkModels = healthy("models");
export const checkServers = healthy("servers");
export const checkVectorDatabase = healthy("vector tables");
