import { z } from "zod";
import { requireRate } from "../../access/rate-limit.ts";
import { SLA_PERIODS } from "../../contract/sla.ts";
import { listServices } from "../../features/monitors/service.ts";
import { presentHistory, presentShown, presentSummary, presentTargets } from "../../features/sla/present.ts";
import { getTargets, measureSla, measureSlaHistory } from "../../features/sla/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { readBody } from "../form-fields.ts";
import { ListOffset } from "../lists.ts";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { Embed } from "./embed.tsx";
import { Reports, readTargets, targetFields, targetValues } from "./reports.tsx";
import { API, ids, params, type Refused, saveForm, shownForm, showTab } from "./tab.tsx";

const EmbedQuery = z.object({ offset: ListOffset });
const PeriodQuery = z.object({ period: z.enum(SLA_PERIODS).default("month").catch("month"), offset: ListOffset });

export const endpoints = [
  view(
    { path: "/app/pages/{id}/embed", summary: "Lines to embed a page", params, query: EmbedQuery, ids },
    async (c, { params: { id }, query: { offset } }) => {
      const services = await listServices(c.var.ctx, id);
      return showTab(c, { id, tab: "/embed" }, ({ page }) => (
        <Embed page={page} services={services} offset={offset} origin={c.var.publicUrl} />
      ));
    },
  ),

  view(
    { path: "/app/pages/{id}/reports", summary: "SLA reports of a page", params, query: PeriodQuery, ids },
    (c, { params: { id }, query }) => showReports(c, id, query),
  ),

  action(
    { path: "/app/pages/{id}/targets", summary: "Set the SLA targets of a page", params },
    async (c, entered, p) => {
      const path = `${API}/${p.id}/sla-targets`;
      await requireRate(c.var.ctx, "heavy", p.id);
      const [measured, stored] = await Promise.all([measureSla(c.var.ctx, p.id, {}), getTargets(c.var.ctx, p.id)]);
      const fields = targetFields(presentSummary(measured));
      const targets = presentTargets(stored);
      const saved = await saveForm(c, {
        fields,
        stored: targetValues(targets),
        sent: entered,
        path,
        toBody: (merged) => readTargets(readBody(fields, merged), targets),
      });
      if (saved.refused) return showReports(c, p.id, { refused: saved.refused });
      return redirectWithNotice(`/app/pages/${p.id}/reports`, words("dashboard-pages").shared.saved(saved));
    },
  ),
];

interface Shown {
  offset?: number;
  period?: (typeof SLA_PERIODS)[number];
  refused?: Refused;
}

async function showReports(
  c: AppContext,
  id: string,
  { period = "month", offset = 0, refused }: Shown,
): Promise<Response> {
  const { ctx } = c.var;
  await requireRate(ctx, "heavy", id);
  const [sla, history, targets] = await Promise.all([
    measureSla(ctx, id, { period }),
    measureSlaHistory(ctx, id, { period }),
    getTargets(ctx, id),
  ]);
  const summary = presentShown(sla);
  const form = shownForm(targetFields(summary), targetValues(presentTargets(targets)), refused);
  return showTab(c, { id, tab: "/reports", refused }, ({ page, may }) => (
    <Reports
      page={page}
      sla={summary}
      history={presentHistory(history)}
      period={period}
      offset={offset}
      {...form}
      may_change={may("sla.write")}
    />
  ));
}
