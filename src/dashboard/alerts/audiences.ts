import { EVENT_CLASSIFICATIONS } from "../../contract/events.ts";
import type { Option } from "../form-fields.ts";
import { words } from "../words.ts";

/** Who may be notified of an event. */
export function audienceOptions(): Option[] {
  const { audiences } = words("dashboard-alerts");
  return EVENT_CLASSIFICATIONS.map((value) => ({ value, label: audiences[value] }));
}
