import "./check-node.cjs";

export * from "../../dist/provider/api/index.js";
