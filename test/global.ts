import type { TestProject } from "vitest/node";
import { type OutsidePorts, startOutside } from "./support/outside.ts";

declare module "vitest" {
  interface ProvidedContext {
    outside: OutsidePorts;
  }
}

/** Starts the outside in Node, before any test of the Workers runtime; tests find it by `inject("outside")`. */
export default async function setup(project: TestProject) {
  const outside = await startOutside();
  project.provide("outside", outside.ports);
  return () => outside.stop();
}
