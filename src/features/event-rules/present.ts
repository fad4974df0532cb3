import type { z } from "zod";
import type {
  BacktestResult,
  EventRule,
  EventRuleContent,
  EventRuleExport,
  EventRuleTestResult,
  EventRuleVersion,
} from "../../contract/event-rule.ts";
import { exportContent } from "../../domain/event-rule-content.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { Backtest, RuleTest } from "./replay.ts";
import type { ShownRule, ShownVersion } from "./service.ts";

export function presentRule({ rule, content }: ShownRule): EventRule {
  return {
    id: rule.id,
    status_page_id: rule.status_page_id,
    ...presentContent(content),
    last_fired_at: toIsoOrNull(rule.last_fired_at),
    created_at: toIso(rule.created_at),
    updated_at: toIso(rule.updated_at),
  };
}

export function presentVersion({ version, content }: ShownVersion): EventRuleVersion {
  return {
    version: version.version,
    rule: presentContent(content),
    created_by: version.created_by,
    created_at: toIso(version.created_at),
    updated_at: toIso(version.created_at),
  };
}

function presentContent(content: EventRuleContent): EventRuleExport {
  const exported = exportContent(content);
  return {
    event_name: exported.event_name,
    display_name: exported.display_name,
    classification: exported.classification,
    conditions: exported.conditions,
    actions: exported.actions,
    alert_channels: exported.alert_channels,
    cooldown_seconds: exported.cooldown_seconds,
    max_fires_per_hour: exported.max_fires_per_hour,
    notify_in_maintenance: exported.notify_in_maintenance,
    is_enabled: exported.is_enabled,
    monitor_id: exported.monitor_id,
    agent_id: exported.agent_id,
    incident_template_id: exported.incident_template_id,
  };
}

export function presentTest(test: RuleTest): z.infer<typeof EventRuleTestResult> {
  const { active, remaining_seconds, last_fired_at } = test.cooldown;
  return {
    would_fire: test.would_fire,
    conditions: test.conditions,
    cooldown: { active, remaining_seconds, last_fired_at: toIsoOrNull(last_fired_at) },
    actions: test.actions,
  };
}

export function presentBacktest({ fires, from, to }: Backtest): z.infer<typeof BacktestResult> {
  return { would_have_fired: fires.length, fires: fires.map(toIso), from: toIso(from), to: toIso(to) };
}
