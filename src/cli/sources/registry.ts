import { isRecord } from "../../lib/is-record.ts";
import { escapeVariables } from "../variables.ts";
import { importAlertmanager } from "./alertmanager.ts";
import { importApprise } from "./apprise.ts";
import { importBetterStack } from "./better-stack.ts";
import { importBlackboxExporter } from "./blackbox-exporter.ts";
import { importCachet } from "./cachet.ts";
import type { Imported, ImportOptions } from "./draft.ts";
import type { ForeignFile } from "./file.ts";
import { importGatus } from "./gatus.ts";
import { importGrafanaOnCall } from "./grafana-oncall.ts";
import { importHealthchecks, importHealthchecksFile } from "./healthchecks.ts";
import { importKener, importKenerFile } from "./kener.ts";
import type { ImportedOnCall } from "./on-call-draft.ts";
import { importOpenStatus } from "./openstatus.ts";
import { importOpsgenie } from "./opsgenie.ts";
import { importPagerDuty } from "./pagerduty.ts";
import { importStatuspage } from "./statuspage.ts";
import { importUpptime } from "./upptime.ts";
import { importUptimeKuma } from "./uptime-kuma.ts";
import { importUptimeRobot } from "./uptimerobot.ts";

/** Tools that somebody moves from: what their files say, in place of what ours does. */

type TextReader = (text: string, options: ImportOptions) => Imported;

/** Texts of these mean what they say. */
const LITERAL: Readonly<Record<string, TextReader>> = {
  alertmanager: importAlertmanager,
  apprise: importApprise,
  "blackbox-exporter": importBlackboxExporter,
  "better-stack": importBetterStack,
  cachet: importCachet,
  healthchecks: importHealthchecks,
  openstatus: importOpenStatus,
  statuspage: importStatuspage,
  uptimerobot: importUptimeRobot,
};
/** Files of these name variables of the environment, as ours does, but also without braces. */
const WITH_VARIABLES: Readonly<Record<string, TextReader>> = {
  gatus: importGatus,
  kener: importKener,
  upptime: importUpptime,
};

/** Of these come people, schedules and escalation policies, which belong to a page. */
export const ON_CALL_SOURCES: Readonly<Record<string, (text: string, now: number) => ImportedOnCall>> = {
  pagerduty: importPagerDuty,
  opsgenie: importOpsgenie,
  "grafana-oncall": importGrafanaOnCall,
};

export const TEXT_SOURCES = { ...WITH_VARIABLES, ...LITERAL };

export const SOURCES: Readonly<Record<string, (file: ForeignFile, options: ImportOptions) => Imported>> = {
  "uptime-kuma": (file, options) => withTexts(importUptimeKuma(file, options), escapeVariables),
  ...reading(WITH_VARIABLES, bracedVariables),
  ...reading(LITERAL, escapeVariables),
  healthchecks: (file, options) => withTexts(importHealthchecksFile(file, options), escapeVariables),
  kener: (file, options) => withTexts(importKenerFile(file, options), bracedVariables),
};

function reading(readers: Readonly<Record<string, TextReader>>, change: (value: unknown) => unknown) {
  const entries = Object.entries(readers).map(([name, read]) => {
    return [name, (file: ForeignFile, options: ImportOptions) => withTexts(read(file.text(), options), change)];
  });
  return Object.fromEntries(entries) as typeof SOURCES;
}

function withTexts({ manifest, ...rest }: Imported, change: (value: unknown) => unknown): Imported {
  const sections = Object.entries(manifest).map(([section, value]) => [section, change(value)]);
  return { manifest: Object.fromEntries(sections) as Imported["manifest"], ...rest };
}

function bracedVariables(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(?<![$\\])\$([A-Za-z_]\w*)/g, (_, name) => `\${${name}}`);
  if (Array.isArray(value)) return value.map(bracedVariables);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bracedVariables(item)]));
}
