import { z } from "zod";
import { invalid } from "../../contract/errors.ts";
import { LATENCY_PERIODS } from "../../contract/latency.ts";
import { CheckReport } from "../../contract/monitor.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { toIso } from "../../platform/clock.ts";
import { resultSourceOf } from "../../probes/registry.ts";
import { requireApi } from "../call-api.ts";
import { statusWord } from "../components/status-word.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { formatMilliseconds } from "../formats.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { loadPicture } from "./detail.ts";
import { MUTE_HOURS } from "./detail-alerts.tsx";
import { detailView } from "./detail-views.tsx";

const API = "/api/uptime/v1/monitors";
const params = z.object({ id: z.uuid() });
const query = z.object({
  period: z.enum(LATENCY_PERIODS).default("24h").catch("24h"),
  /** When a check was asked for that is still of interest. */
  checked: z.coerce.number().int().positive().optional().catch(undefined),
});
const seen = { params, ids: { params: { id: "monitor:see" } } } as const;
const changed = { params, ids: { params: { id: "monitor" } }, permission: "monitors.write" } as const;

/** Those that report by themselves are not checked by being resumed. */
const resumedTexts = (): Partial<Record<ReturnType<typeof resultSourceOf>, string>> => {
  const text = words("dashboard-monitors").detail_notices;
  return {
    edge: text.resumed.edge,
    agent: text.resumed.agent,
  };
};

const simple = (verb: "pause" | "resume") =>
  action(
    { path: `/app/monitors/{id}/${verb}`, summary: `Button: ${verb} a monitor`, params },
    async (c, _form, { id }) => {
      const text = words("dashboard-monitors").detail_notices;
      await requireApi(c, { method: "POST", path: `${API}/${id}/${verb}` });
      const { type, options } = (await getMonitor(c.var.ctx, id)).record;
      const notice =
        verb === "pause" ? text.paused : (resumedTexts()[resultSourceOf(type, options)] ?? text.resumed.other);
      const undo = `/app/monitors/${id}/${verb === "pause" ? "resume" : "pause"}`;
      return redirectWithNotice(`/app/monitors/${id}`, notice, undo);
    },
  );

/** Where each type that is pushed to has its credential replaced. */
const CREDENTIALS: Partial<Record<MonitorType, (id: string) => string>> = {
  heartbeat: (id) => `${API}/${id}/regenerate-heartbeat-token`,
  api: (id) => `/api/uptime/v1/api-monitoring/monitors/${id}/regenerate-key`,
  game_server: (id) => `/api/uptime/v2/game-server/monitors/${id}/regenerate-key`,
};

export const endpoints = [
  view(
    { path: "/app/monitors/{id}", summary: "One monitor in the dashboard", ...seen, query },
    async (c, { params: { id }, query: { period, checked } }) =>
      showView(c, detailView(await loadPicture(c.var.ctx, { id, period, checked }))),
  ),

  simple("pause"),
  simple("resume"),

  action(
    { path: "/app/monitors/{id}/mute", summary: "Mute the alerts of a monitor, or end that", params },
    async (c, entered, { id }) => {
      const text = words("dashboard-monitors").detail_notices;
      const chosen = z.enum(["0", ...MUTE_HOURS]).safeParse(entered.get("hours"));
      if (!chosen.success) throw invalid(`hours must be 0 or one of ${MUTE_HOURS.join(", ")}`);
      const hours = Number(chosen.data);
      const muted_until = hours === 0 ? null : toIso(c.var.now + hours * HOUR_MS);
      await requireApi(c, { method: "PUT", path: `${API}/${id}`, body: { muted_until } });
      const notice = hours === 0 ? text.unmuted : text.muted;
      return redirectWithNotice(`/app/monitors/${id}`, notice, hours === 0 ? null : `/app/monitors/${id}/mute?hours=0`);
    },
  ),

  action(
    { path: "/app/monitors/{id}/check", summary: "Button: check a monitor now", params },
    async (c, _form, { id }) => {
      const text = words("dashboard-monitors").detail_notices;
      const path = `${API}/${id}/check`;
      const begun = c.var.now;
      const { status, latency_ms, message } = CheckReport.parse(await requireApi(c, { method: "POST", path }));
      const parts = [statusWord(status), ...(latency_ms === null ? [] : [formatMilliseconds(latency_ms)]), message];
      const notice = text.checked({ results: parts.filter((part) => part).join(", ") });
      return redirectWithNotice(`/app/monitors/${id}?checked=${begun}`, notice);
    },
  ),

  action(
    { path: "/app/monitors/{id}/replace-credential", summary: "Replace the push address of a monitor", ...changed },
    async (c, _form, { id }) => {
      const text = words("dashboard-monitors").detail_notices;
      const { record } = await getMonitor(c.var.ctx, id);
      const path = CREDENTIALS[record.type];
      if (path === undefined) throw invalid("only a monitor that is pushed to has an address to replace");
      await requireApi(c, { method: "POST", path: path(id) });
      return redirectWithNotice(`/app/monitors/${id}`, text.replaced);
    },
  ),

  ...confirmedDeletion({ path: "/app/monitors/{id}/delete", summary: "Delete a monitor", ...changed }, deletionOf),
];

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-monitors").detail_notices;
  const { record } = await getMonitor(c.var.ctx, id);
  return {
    kind: text.deletion_kind,
    name: record.name,
    section: "monitors",
    list: "/app/monitors",
    trail: [{ href: "/app/monitors", text: text.monitors }],
    path: `/app/monitors/${id}`,
    api: `${API}/${id}`,
    lost: text.deletion,
  };
}
