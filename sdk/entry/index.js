import "./check-node.cjs";

export * from "../../dist/sdk/index.js";
