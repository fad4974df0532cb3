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
    take: "The database kuma.db of version 1.23 or 2, from a stopped Uptime Kuma or a copy; or a dump of its MariaDB, as text.",
  },
  gatus: { label: "Gatus", take: "Its configuration, in one YAML file." },
  healthchecks: {
    label: "Healthchecks",
    take: "What its API answers to a key that may write; or the database of your own, hc.sqlite or a dump, which has integrations.",
    command: 'curl -H "X-Api-Key: $KEY" https://healthchecks.io/api/v3/checks/ -o checks.json',
  },
  uptimerobot: {
    label: "UptimeRobot",
    take: "What its API answers. It answers in pages: import each of them.",
    command: 'curl -H "Authorization: Bearer $KEY" https://api.uptimerobot.com/v3/monitors -o monitors.json',
  },
  "better-stack": {
    label: "Better Stack",
    take: "What its API answers. Leave out what you do not use.",
    command: `for what in monitors heartbeats status-pages status-pages/ID/sections status-pages/ID/resources; do
  curl -H "Authorization: Bearer $KEY" "https://uptime.betterstack.com/api/v2/$what?per_page=250"
done | jq -s '{data: map(.data) | add}' > betterstack.json`,
  },
  statuspage: {
    label: "Statuspage",
    take: "What its API answers.",
    command: `api() { curl -H "Authorization: OAuth $KEY" "https://api.statuspage.io/v1/pages/$PAGE$1"; }
jq -n --argjson page "$(api '')" --argjson components "$(api '/components?per_page=100')" \\
      --argjson component_groups "$(api '/component-groups')" --argjson incidents "$(api '/incidents?limit=100')" \\
      --argjson subscribers "$(api '/subscribers?state=all')" \\
      '{$page, $components, $component_groups, $incidents, $subscribers}' > statuspage.json`,
  },
  cachet: {
    label: "Cachet",
    take: "What the API of version 2 answers; docs/migrate-from.md has the addresses of version 3.",
    command: `api() { curl "https://status.example.com/api/v1/$1?per_page=1000"; }
jq -n --argjson components "$(api components)" --argjson component_groups "$(api components/groups)" \\
      --argjson incidents "$(api incidents)" --argjson schedules "$(api schedules)" \\
      '{settings: {app_name: "Shop"}, $components, $component_groups, $incidents, $schedules}' > cachet.json`,
  },
  openstatus: { label: "OpenStatus", take: "The file openstatus.yaml, which openstatus monitors import writes." },
  kener: {
    label: "Kener",
    take: "The database kener.sqlite.db of version 3 or 4, from a copy, or monitors.yaml of version 2.",
  },
  upptime: { label: "Upptime", take: "The file .upptimerc.yml of its repository." },
  "blackbox-exporter": {
    label: "Prometheus blackbox_exporter",
    take: "Both configurations in one file.",
    command: "cat prometheus.yml blackbox.yml > probes.yml",
  },
  alertmanager: { label: "Alertmanager", take: "The file alertmanager.yml: its receivers become channels." },
  apprise: { label: "Apprise", take: "Its configuration, as text or YAML: its addresses become channels." },
  account: {
    label: "Vigil, another account",
    take: "The file account.json, which “Export everything” of the other account writes.",
  },
};
