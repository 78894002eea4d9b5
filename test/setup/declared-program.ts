/** The listed resources of `orgseat` as an inline program. */
import * as orgseat from "orgseat";
import { makeDeclared } from "./declared.ts";

export const inlineProgram = (folder: string): unknown => makeDeclared(orgseat, folder);
