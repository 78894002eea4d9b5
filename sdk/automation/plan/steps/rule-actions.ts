/** Actions that change in the state who keeps access, or who can read tokens. rules.ts finds them. */
export const ruleActions = {
  changeAccessEnd: {
    operations: [],
    inState: "change access end",
    cost: "none",
    planned: "change when the access ends",
    done: "end of the access changed in the state",
  },
  changeRemoval: {
    operations: [],
    inState: "change removal",
    cost: "none",
    planned: "change what a removal does",
    done: "removal changed in the state",
  },
  changeRotationRule: {
    operations: [],
    inState: "change rotation by rule",
    cost: "none",
    planned: "change the rotation by rule",
    done: "rotation by rule changed in the state",
  },
  /** Of a roster, as the following two. */
  changeModule: {
    operations: [],
    inState: "change module",
    cost: "none",
    planned: "change the module that gets the tokens",
    done: "module noted in the state",
  },
  requireSealing: {
    operations: [],
    inState: "require sealed tokens",
    cost: "none",
    planned: "require sealed tokens",
    done: "sealed tokens required in the state",
  },
  endSealing: {
    operations: [],
    inState: "stop requiring sealed tokens",
    cost: "none",
    planned: "stop requiring sealed tokens",
    done: "sealed tokens no longer required in the state",
  },
} as const;
