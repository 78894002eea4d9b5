import "./check-node.cjs";

export * from "../../dist/sdk/automation/index.js";
