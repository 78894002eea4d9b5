import "./check-node.cjs";

export * from "../../dist/command/index.js";
