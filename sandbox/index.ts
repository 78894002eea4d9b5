/** `orgseat-sandbox`: the embedded organization service and the client of its management API, for trying and tests. */
export * from "./service/index.ts";
