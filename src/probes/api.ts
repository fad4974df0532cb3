import { z } from "zod";
import { OPTION_FIELDS } from "../contract/monitor.ts";
import { METRIC_FIELDS } from "../contract/push.ts";

/** Its state comes from pushes, so there is nothing to probe. */
export const apiOptions = z.object({
  degraded_timeout_seconds: OPTION_FIELDS.degraded_timeout_seconds.transform((value) => value ?? null),
  ...METRIC_FIELDS,
});
