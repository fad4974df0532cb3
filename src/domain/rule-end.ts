import type { EventRuleContent } from "../contract/event-rule.ts";
import { isCustomEventName } from "../contract/events.ts";
import { durationInWords, formatDuration } from "../lib/duration-format.ts";
import { DAY_MS, SECOND_MS } from "../lib/durations.ts";
import { computeReachMs } from "./rule-metrics.ts";

/** What ends an incident that a rule opened: the recovery of its cause. */
export interface RuleEnd {
  ends_with: "monitor" | "agent" | "maintenance" | "values";
  /** The monitor, agent or window; of values the one that was measured, if any. */
  subject_id: string | null;
}

/**
 * How long values may stay away before the incident about them ends: as long as its conditions look back, which is an
 * hour at least, and the cooldown, together a day at most.
 */
export function silenceOf(
  { conditions, cooldown_seconds }: Pick<EventRuleContent, "conditions" | "cooldown_seconds">,
  intervalSeconds: number,
): number {
  const reach = computeReachMs(conditions, intervalSeconds);
  return Math.max(reach, Math.min(DAY_MS, reach + cooldown_seconds * SECOND_MS));
}

interface Told {
  name: string | null;
  monitor_id: string | null;
  agent_id: string | null;
  maintenance_id: string | null;
}

/** Null for what is a moment and has no end: somebody resolves that incident. */
export function endOf(rule: Pick<EventRuleContent, "event_name" | "conditions">, told: Told): RuleEnd | null {
  const { monitor_id, agent_id, maintenance_id } = told;
  if (isCustomEventName(rule.event_name)) {
    return rule.conditions.length === 0 ? null : { ends_with: "values", subject_id: monitor_id ?? agent_id };
  }
  switch (told.name) {
    case "monitor.down":
    case "monitor.degraded":
    case "monitor.flapping":
      return monitor_id === null ? null : { ends_with: "monitor", subject_id: monitor_id };
    case "agent.offline":
      return agent_id === null ? null : { ends_with: "agent", subject_id: agent_id };
    case "maintenance.started":
      return maintenance_id === null ? null : { ends_with: "maintenance", subject_id: maintenance_id };
    default:
      return null;
  }
}

/** How the first entry of an incident goes on where the team alone reads it: customers see no name of a rule. */
export function describeOpening(ruleName: string, end: { isOpenEnded: boolean }): string {
  const opened = `Opened by the rule “${ruleName}”.`;
  return end.isOpenEnded ? `${opened} It stays open until somebody resolves it.` : opened;
}

export interface EndedRuleIncident extends Pick<RuleEnd, "ends_with"> {
  is_public: boolean;
  rule_name: string;
  cooldown_seconds: number;
  /** As readers of the incident may know it; null where it was deleted. */
  subject_name: string | null;
  has_rule: boolean;
  /** For how long no value has arrived, where that ends it. */
  silent_seconds: number | null;
}

/** Why an incident ends, in its timeline. Customers know neither agents nor rules. */
export function describeEnd(ended: EndedRuleIncident): string {
  const { ends_with, is_public, subject_name, rule_name, cooldown_seconds } = ended;
  if (ends_with === "monitor") {
    return subject_name === null ? "The service is no longer monitored." : `${subject_name} is up again.`;
  }
  if (ends_with === "maintenance") return "The maintenance is over.";
  if (ended.silent_seconds !== null) {
    const silence = durationInWords(ended.silent_seconds);
    return is_public
      ? `No new measurements have come in for ${silence}, so that this incident is closed.`
      : `No values for the rule “${rule_name}” have arrived for ${silence}: whether its conditions still hold is not known.`;
  }
  if (is_public) return "Back to normal.";
  if (ends_with === "agent") {
    return subject_name === null ? "The agent was removed." : `The agent ${subject_name} is online again.`;
  }
  if (!ended.has_rule) return `The rule “${rule_name}” is switched off or deleted.`;
  return cooldown_seconds === 0
    ? `The conditions of the rule “${rule_name}” hold no longer.`
    : `The conditions of the rule “${rule_name}” have not held for ${formatDuration(cooldown_seconds)}.`;
}
