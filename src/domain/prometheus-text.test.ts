import { describe, expect, it } from "vitest";
import { formatPrometheus } from "./prometheus-text.ts";

describe("the Prometheus text format", () => {
  it("has help, type and one line per sample, and help and type of a metric without samples", () => {
    const text = formatPrometheus([
      {
        name: "monitor_status",
        help: "Status.",
        samples: [
          { labels: { monitor_id: "a", monitor_name: "Shop" }, value: 1 },
          { labels: { monitor_id: "b", monitor_name: "Mail" }, value: 0.5 },
        ],
      },
      { name: "monitor_other", help: "Nothing.", samples: [] },
    ]);
    expect(text).toBe(
      [
        "# HELP monitor_status Status.",
        "# TYPE monitor_status gauge",
        'monitor_status{monitor_id="a",monitor_name="Shop"} 1',
        'monitor_status{monitor_id="b",monitor_name="Mail"} 0.5',
        "# HELP monitor_other Nothing.",
        "# TYPE monitor_other gauge",
        "",
      ].join("\n"),
    );
  });

  it("escapes what a label value may not hold", () => {
    const samples = [{ labels: { name: 'C:\\ "x"\nmonitor_status 0' }, value: 1 }];
    expect(formatPrometheus([{ name: "m", help: "h", samples }]).split("\n")[2]).toBe(
      'm{name="C:\\\\ \\"x\\"\\nmonitor_status 0"} 1',
    );
  });
});
