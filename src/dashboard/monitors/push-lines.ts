import { words } from "../words.ts";

export interface PushLine {
  label: string;
  text: string;
}

/** Ready-to-paste lines that send a heartbeat after a job; the address carries the credential. */
export function heartbeatLines(address: string): PushLine[] {
  const text = words("dashboard-monitors").push.lines;
  return [
    { label: text.curl, text: `curl -fsS -m 10 --retry 5 -o /dev/null '${address}'` },
    {
      label: text.cron,
      text: `30 2 * * * /path/to/job && curl -fsS -m 10 --retry 5 -o /dev/null '${escapeCron(address)}'`,
    },
    {
      label: text.systemd,
      text: `[Service]\nExecStartPost=/usr/bin/curl -fsS -m 10 --retry 5 -o /dev/null "${escapeSystemd(address)}"`,
    },
    {
      label: text.github_actions,
      text: [
        "- name: Report to the monitor",
        "  if: success()",
        `  run: curl -fsS -m 10 --retry 5 -o /dev/null "\${{ secrets.HEARTBEAT_URL }}"`,
        `# secret HEARTBEAT_URL: ${address}`,
      ].join("\n"),
    },
    { label: text.kubernetes, text: kubernetesLines(address) },
  ];
}

/** Cron reads a percent sign as a line break. */
function escapeCron(address: string): string {
  return address.replaceAll("%", "\\%");
}

/** systemd reads a percent sign as the start of a specifier. */
function escapeSystemd(address: string): string {
  return address.replaceAll("%", "%%");
}

function kubernetesLines(address: string): string {
  return [
    "apiVersion: batch/v1",
    "kind: CronJob",
    "metadata:",
    "  name: nightly-job",
    "spec:",
    '  schedule: "30 2 * * *"',
    "  jobTemplate:",
    "    spec:",
    "      template:",
    "        spec:",
    "          restartPolicy: OnFailure",
    "          initContainers:",
    "            - name: job",
    "              image: your/job",
    "          containers:",
    "            - name: heartbeat",
    "              image: curlimages/curl",
    `              args: ["-fsS", "-m", "10", "--retry", "5", "${address}"]`,
  ].join("\n");
}

/** Lines that send metrics by a push key. */
export function metricsLines(address: string, key: string, monitorId: string): PushLine[] {
  const body = JSON.stringify({ monitor_id: monitorId, status: "up", latency_ms: 42 });
  return [
    {
      label: words("dashboard-monitors").push.lines.curl,
      text: `curl -fsS -m 10 --retry 5 '${address}' \\\n  -H 'Authorization: Bearer ${key}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`,
    },
  ];
}
