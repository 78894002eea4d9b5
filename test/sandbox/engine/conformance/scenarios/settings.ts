/** Secrets, configuration, and runs without a program. */
import { scenariosIn } from "../scenario.ts";

export const settings = scenariosIn(String.raw`
marks secrets wherever they go
  up <- a{password: {secret: hunter2}, value: 1, deep: {key: {secret: x}, open: 1}}+{additionalSecretOutputs: [out]} b{from: $a.out, deep: $a.deep} %{outputs: {shown: $a.password}}
  up
  stack output --json says ["\"shown\": \"[secret]\""]
  stack output shown --show-secrets says [hunter2]
stores it when a value becomes secret, and no update is needed
  up <- a{value: x}
  up <- a{value: {secret: x}}
  up <- a{value: x}
updates when a secret changes
  up <- a{value: {secret: first-word}}
  up <- a{value: {secret: second-word}}
configures again when the configuration changed
  config set x 1
  up <- a{value: {config: x}}
  config set x 2
  preview
  up
encrypts secret configuration in the state
  config set x hush --secret
  up <- a{value: 1}
  config get x says [hush]
  destroy
destroys dependents first with the state's configuration
  config set x 1
  up <- chain{value: 1}
  config set x 2
  destroy
destroys with fresh configuration when it runs the program
  config set x 1
  up <- chain{value: 1}
  config set x 2
  destroy --run-program
refreshes with fresh configuration when it runs the program
  config set x 1
  up <- a{value: 1} b{of: $a.id}
  config set x 2
  refresh --run-program !{read a: drift}
previews what a destroy would do
  up <- chain{value: 1}
  destroy --preview-only
destroys an empty stack
  destroy <- nothing
`);
