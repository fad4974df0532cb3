import { isEventName, MAINTENANCE_END } from "../contract/events.ts";
import { MONITOR_TYPES, type MonitorType, REGIONS } from "../contract/monitor-values.ts";
import type { Option } from "./form-fields.ts";
import { words } from "./words.ts";

/** What registries name, in the language of the request. */

export function typeName(type: MonitorType): string {
  return words("dashboard-registries").types[type];
}

export function typeOptions(): Option[] {
  return MONITOR_TYPES.map((value) => ({ value, label: typeName(value) }));
}

/** What no region is stays as it is. */
export function regionName(name: string): string {
  const region = REGIONS.find((each) => each === name);
  return region ? words("dashboard-registries").regions[region] : name;
}

/** "Monitor down". */
export function eventName(name: string): string {
  const [current, former] = MAINTENANCE_END;
  const event = name === former ? current : name;
  return isEventName(event) ? words("dashboard-registries").events[event].heading : name;
}
