/** One metric of the Prometheus text format, version 0.0.4, with all of its samples. */
export interface GaugeMetric {
  name: string;
  help: string;
  samples: readonly { labels: Readonly<Record<string, string>>; value: number }[];
}

/** A metric without samples has its help and type alone, so that dashboards and rules know it before its first value. */
export function formatPrometheus(metrics: readonly GaugeMetric[]): string {
  return metrics
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}{${formatLabels(labels)}} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines, ""].join("\n");
    })
    .join("");
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");
}

/** The three characters that the format reserves in label values. */
function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
