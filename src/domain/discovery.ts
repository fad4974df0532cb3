import { MONITOR_TYPES, type MonitorType } from "../contract/monitor-values.ts";

/** What an agent found on its host, as it reported it. */
export interface Discovery {
  kind: string;
  name: string;
  target: string | null;
  details: unknown;
}

/** How a discovery would be watched. */
export interface WatchSettings {
  type: MonitorType | null;
  target: string | null;
  /** Parts of the target, such as one container of an engine; none: all of it. */
  components: string[];
  /** Its certificate would not be accepted. */
  is_unverified: boolean;
}

/** The agent program names the monitor type in its details; other reporters may name it as the kind. */
export function watchSettingsOf({ kind, target, details }: Discovery): WatchSettings {
  const named: Record<string, unknown> = typeof details === "object" && details !== null ? { ...details } : {};
  const components = Array.isArray(named.components) ? named.components.filter((name) => typeof name === "string") : [];
  return {
    type: typeOf(named.type) ?? typeOf(kind),
    target,
    components,
    is_unverified: named.verify_ssl === false,
  };
}

function typeOf(value: unknown): MonitorType | null {
  return MONITOR_TYPES.find((type) => type === value) ?? null;
}

interface Watching {
  type: MonitorType;
  target: string | null;
  options: Record<string, unknown>;
}

/** Whether a monitor of the same agent already watches what was discovered. */
export function watches({ type, target, options }: Watching, wanted: WatchSettings): boolean {
  if (type !== wanted.type || target !== wanted.target || target === null) return false;
  const components = Array.isArray(options.components) ? options.components : [];
  // A monitor without components watches all of its target.
  if (wanted.components.length === 0) return components.length === 0;
  return wanted.components.every((name) => components.includes(name));
}
