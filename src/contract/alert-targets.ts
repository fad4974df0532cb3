import { z } from "zod";
import { Id } from "./common.ts";
import { Tags } from "./tags.ts";

const IDS_MAX = 100;
const Ids = z.array(Id).max(IDS_MAX).nullish();

/** What a receiver of alerts hears of; without any of them it hears of everything. */
export interface AlertTargets {
  monitor_ids: string[];
  group_ids: string[];
  tags: string[];
}

export const ALERT_TARGET_FIELDS = {
  monitor_ids: Ids.meta({
    description:
      "only what concerns one of these monitors, of `group_ids` or of `tags`; none of the three: everything. What concerns no monitor, such as an agent, then arrives only where `events` lists it",
  }),
  group_ids: Ids.meta({ description: "only what concerns these groups or a monitor in one of them" }),
  tags: Tags.nullish().meta({ description: "only what concerns a monitor with one of these tags" }),
};

/** As they are answered. */
export const SHOWN_ALERT_TARGETS = {
  monitor_ids: z.array(Id),
  group_ids: z.array(Id),
  tags: z.array(z.string()),
};
