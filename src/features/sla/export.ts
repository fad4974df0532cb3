import type { RequestScope } from "../../access/scope.ts";
import type { ExportFormat } from "../../contract/sla.ts";
import { toSlaCsv } from "../../domain/sla-csv.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { assetReader } from "../../report/glyphs.ts";
import type { ReportHead } from "../../report/layout.ts";
import { fetchLogo } from "./logo.ts";
import { presentShown, presentSummary } from "./present.ts";
import { type MeasuredPage, RULES_DEFAULT } from "./service.ts";

/** The name of the file is fixed, so that nothing a person wrote gets into a header. */
export async function exportSla(ctx: RequestScope, measured: MeasuredPage, format: ExportFormat): Promise<Response> {
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
      // Few ask for one, so that what it takes is evaluated then and not at every start.
      const [{ layOutSlaReport }, { writePdf }, { readLogo }] = await Promise.all([
        import("../../report/layout.ts"),
        import("../../report/pdf.ts"),
        import("../../report/logo-cache.ts"),
      ]);
      const picture = await fetchLogo(ctx, measured.page.logo_url);
      const logo = picture && readLogo(picture);
      const pages = layOutSlaReport(presentShown(measured), { ...headOf(measured), logo, made_at: ctx.now });
      const title = `Service level report: ${measured.page.name}`;
      const pdf = await writePdf({ title, made_at: ctx.now, pages, logo }, assetReader(ctx.env));
      return answer(pdf, "application/pdf");
    }
    default:
      return assertNever(format);
  }
}

function headOf({ page, policy }: MeasuredPage): Omit<ReportHead, "logo" | "made_at"> {
  const { exclude_maintenance, degraded_counts_as_downtime } = policy ?? RULES_DEFAULT;
  return {
    page_name: page.name,
    brand_color: page.brand_color,
    timezone: page.timezone,
    policy_name: policy?.name ?? null,
    exclude_maintenance,
    degraded_counts_as_downtime,
  };
}
