import type { ExportFormat } from "../../contract/sla.ts";
import { layOutSlaReport, type ReportHead, toSlaCsv } from "../../domain/report.ts";
import { assertNever } from "../../kit/assert-never.ts";
import { writePdf } from "../../platform/pdf.ts";
import { presentSummary } from "./present.ts";
import { type MeasuredPage, RULES_DEFAULT } from "./service.ts";

/** The name of the file is fixed, so that nothing a person wrote gets into a header. */
export function exportSla(measured: MeasuredPage, format: ExportFormat, now: number): Response {
  const summary = presentSummary(measured);
  const answer = (body: BodyInit, type: string) =>
    new Response(body, {
      headers: {
        "Content-Type": type,
        "Content-Disposition": `attachment; filename="sla-report.${format}"`,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  switch (format) {
    case "csv":
      return answer(toSlaCsv(summary), "text/csv; charset=utf-8");
    case "json":
      return answer(JSON.stringify(summary), "application/json");
    case "pdf": {
      const title = `Service level report: ${measured.page.name}`;
      return answer(
        writePdf(layOutSlaReport(summary, headOf(measured, now)), { title, made_at: now }),
        "application/pdf",
      );
    }
    default:
      return assertNever(format);
  }
}

function headOf({ page, policy }: MeasuredPage, now: number): ReportHead {
  const { exclude_maintenance, degraded_counts_as_downtime } = policy ?? RULES_DEFAULT;
  return {
    page_name: page.name,
    brand_color: page.brand_color,
    timezone: page.timezone,
    policy_name: policy?.name ?? null,
    exclude_maintenance,
    degraded_counts_as_downtime,
    made_at: now,
  };
}
