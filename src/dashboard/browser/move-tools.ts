import { words } from "./words.ts";

const text = words(MESSAGES.move_tools);

/** Tools that somebody moves from, by the names that the command line has for them, and what to take of each. */
export interface Tool {
  label: string;
  take: string;
  /** Makes the file; what it needs in capitals is the reader's. */
  command?: string;
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  "uptime-kuma": {
    label: "Uptime Kuma",
    take: text.uptime_kuma,
  },
  gatus: { label: "Gatus", take: text.gatus },
  healthchecks: {
    label: "Healthchecks",
    take: text.healthchecks,
    command: 'curl -H "X-Api-Key: $KEY" https://healthchecks.io/api/v3/checks/ -o checks.json',
  },
  uptimerobot: {
    label: "UptimeRobot",
    take: text.uptimerobot,
    command: 'curl -H "Authorization: Bearer $KEY" https://api.uptimerobot.com/v3/monitors -o monitors.json',
  },
  "better-stack": {
    label: "Better Stack",
    take: text.better_stack,
    command: `for what in monitors heartbeats status-pages status-pages/ID/sections status-pages/ID/resources; do
  curl -H "Authorization: Bearer $KEY" "https://uptime.betterstack.com/api/v2/$what?per_page=250"
done | jq -s '{data: map(.data) | add}' > betterstack.json`,
  },
  statuspage: {
    label: "Statuspage",
    take: text.statuspage,
    command: `api() { curl -H "Authorization: OAuth $KEY" "https://api.statuspage.io/v1/pages/$PAGE$1"; }
jq -n --argjson page "$(api '')" --argjson components "$(api '/components?per_page=100')" \\
      --argjson component_groups "$(api '/component-groups')" --argjson incidents "$(api '/incidents?limit=100')" \\
      --argjson subscribers "$(api '/subscribers?state=all')" \\
      '{$page, $components, $component_groups, $incidents, $subscribers}' > statuspage.json`,
  },
  cachet: {
    label: "Cachet",
    take: text.cachet,
    command: `api() { curl "https://status.example.com/api/v1/$1?per_page=1000"; }
jq -n --argjson components "$(api components)" --argjson component_groups "$(api components/groups)" \\
      --argjson incidents "$(api incidents)" --argjson schedules "$(api schedules)" \\
      '{settings: {app_name: "Shop"}, $components, $component_groups, $incidents, $schedules}' > cachet.json`,
  },
  openstatus: { label: "OpenStatus", take: text.openstatus },
  kener: {
    label: "Kener",
    take: text.kener,
  },
  upptime: { label: "Upptime", take: text.upptime },
  "blackbox-exporter": {
    label: "Prometheus blackbox_exporter",
    take: text.blackbox_exporter,
    command: "cat prometheus.yml blackbox.yml > probes.yml",
  },
  alertmanager: { label: "Alertmanager", take: text.alertmanager },
  apprise: { label: "Apprise", take: text.apprise },
  account: {
    label: text.another_account,
    take: text.account,
  },
};
