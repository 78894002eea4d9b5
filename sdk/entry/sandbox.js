import "./check-node.cjs";

export * from "../../dist/sandbox/index.js";
