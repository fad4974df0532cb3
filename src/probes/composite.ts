import { z } from "zod";
import { COMPOSITE_POLICY_DEFAULT, CompositePolicy } from "../contract/composite.ts";
import type { MonitorTypeEntry } from "./port.ts";

export const compositeOptions = z
  .object({ composite_policy: CompositePolicy.nullish() })
  .transform(({ composite_policy }) => ({ composite_policy: composite_policy ?? COMPOSITE_POLICY_DEFAULT }));

/** Nothing is checked: its status is what its members add up to (domain/composite.ts). */
export const compositeType: MonitorTypeEntry = {
  label: "Composite",
  source: "computed",
  follows: "members",
  plan: "starter",
  options: compositeOptions,
};
