import { createRequire } from "node:module";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

/** The provider process and the programs of the tests load the built package, so it has to match the sources. */
export default function buildOnce(): void {
  const { buildIfStale }: { buildIfStale(root: string): void } = createRequire(import.meta.url)(
    "../../build.cjs",
  );
  buildIfStale(packageRoot);
}
