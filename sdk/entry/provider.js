import "./check-node.cjs";

export * from "../../dist/provider/index.js";
