import { z } from "zod";

/** How many members have to be down for their composite to be. */
export const CompositePolicy = z
  .string()
  .trim()
  .regex(
    /^(worst|all|at_least:([1-9]|[1-4]\d|50)|percent:([1-9]\d?|100))$/,
    "must be worst, all, at_least:<n> (1 to 50) or percent:<n> (1 to 100)",
  )
  .meta({
    description:
      "composite: how many members have to be down: worst (one is enough; default), all, at_least:<n> or percent:<n>",
  });

export const COMPOSITE_POLICY_DEFAULT = "worst";
