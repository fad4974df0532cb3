import { EVENT_CLASSIFICATIONS, type EventClassification } from "../../contract/events.ts";
import type { Option } from "../form-fields.ts";

/** Who is notified of an event. */
export const AUDIENCES: Record<EventClassification, string> = {
  public: "Everybody: readers of the page and the team",
  team_only: "The team alone",
  critical: "Critical: everybody, and whoever is on call",
};

export const AUDIENCE_OPTIONS: readonly Option[] = EVENT_CLASSIFICATIONS.map((value) => ({
  value,
  label: AUDIENCES[value],
}));
