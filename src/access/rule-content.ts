import { z } from "zod";
import type { EventRuleContent, StoredRuleContent } from "../contract/event-rule.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";

const Channels = z.record(z.string(), z.string());

/** The content in clear; versions are bound to their rule as well. */
export async function openRuleContent(
  settings: Settings,
  ruleId: string,
  stored: StoredRuleContent,
): Promise<EventRuleContent> {
  const { sealed_channels } = stored;
  const alert_channels =
    sealed_channels === null ? {} : Channels.parse(await unseal(settings.ROOT_SECRET, ruleId, sealed_channels));
  return {
    event_name: stored.event_name,
    display_name: stored.display_name,
    classification: stored.classification,
    conditions: stored.conditions,
    actions: stored.actions,
    alert_channels,
    cooldown_seconds: stored.cooldown_seconds,
    max_fires_per_hour: stored.max_fires_per_hour,
    notify_in_maintenance: stored.notify_in_maintenance,
    is_enabled: stored.is_enabled,
    monitor_id: stored.monitor_id,
    agent_id: stored.agent_id,
    incident_template_id: stored.incident_template_id,
  };
}

export async function sealRuleContent(
  settings: Settings,
  ruleId: string,
  content: EventRuleContent,
): Promise<StoredRuleContent> {
  const { alert_channels, ...stored } = content;
  const hasChannels = Object.keys(alert_channels).length > 0;
  return {
    ...stored,
    sealed_channels: hasChannels ? await seal(settings.ROOT_SECRET, ruleId, alert_channels) : null,
  };
}
