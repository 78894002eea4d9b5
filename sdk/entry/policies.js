import "./check-node.cjs";

export * from "../../dist/sdk/policies/index.js";
