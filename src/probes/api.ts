import { z } from "zod";
import { METRIC_FIELDS } from "../contract/push.ts";
import { metricsRules } from "./metrics-rules.ts";
import type { MonitorTypeEntry } from "./port.ts";

const options = z.object(METRIC_FIELDS);

export const apiType: MonitorTypeEntry<z.infer<typeof options>> = {
  label: "API push",
  source: "push",
  plan: "starter",
  options,
  push: {
    kind: "api",
    credential: "push_key",
    urls: (publicUrl) => ({ push: `${publicUrl}/api/uptime/v1/api-monitoring/push` }),
    rules: (fields, monitor) => metricsRules("api", fields, monitor),
  },
};
