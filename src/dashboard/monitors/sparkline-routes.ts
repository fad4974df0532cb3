import { z } from "zod";
import { requireVisibleMonitor } from "../../access/resources.ts";
import { buildLatencySeries, type LatencyPoint } from "../../domain/latency-series.ts";
import { rangeFor, readLatency } from "../../features/latency/service.ts";
import { endpoint } from "../../http/endpoint.ts";
import { document, PUBLIC_ERRORS } from "../../http/responses.ts";
import { DAY_MS } from "../../lib/durations.ts";

const WIDTH = 96;
const HEIGHT = 24;
const PADDING = 2;
/** A picture of a day changes little in this time; the list itself is asked for every other second. */
const SECONDS_KEPT = 300;
const params = z.object({ id: z.uuid() });

export const endpoints = [
  endpoint(
    {
      at: ["root"],
      auth: "user",
      permission: null,
      audit: null,
      rate: "api",
      ids: { params: { id: "monitor:see" } },
    },
    {
      method: "get",
      path: "/app/monitors/{id}/latency.svg",
      tags: ["Dashboard"],
      summary: "Latency of a day as a small picture",
      request: { params },
      responses: { 200: document("The picture", "image/svg+xml"), ...PUBLIC_ERRORS },
    },
    async (c) => {
      const { ctx } = c.var;
      const monitor = await requireVisibleMonitor(ctx, c.req.valid("param").id);
      const range = rangeFor(monitor, "24h", ctx.now);
      const points = buildLatencySeries(await readLatency(ctx, monitor, range), range);
      return new Response(drawSparkline(points, ctx.now - DAY_MS, ctx.now), {
        headers: {
          "Content-Type": "image/svg+xml",
          "Cache-Control": `private, max-age=${SECONDS_KEPT}`,
          "Content-Security-Policy": "default-src 'none'",
        },
      });
    },
  ),
];

/** The medians as one line over the whole day; a gap in them is a gap in the line. */
export function drawSparkline(points: readonly LatencyPoint[], from: number, to: number): string {
  const top = Math.max(1, ...points.map(({ p50_ms }) => p50_ms));
  const step = Math.min(...points.slice(1).map(({ at }, n) => at - (points[n]?.at ?? at)));
  const x = (at: number) => (((at - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (ms: number) => (HEIGHT - PADDING - (ms / top) * (HEIGHT - 2 * PADDING)).toFixed(1);
  const line = points.map(({ at, p50_ms }, n) => {
    const before = points[n - 1];
    const isGap = before === undefined || at - before.at > 2 * step;
    return `${isGap ? "M" : "L"}${x(at)} ${y(p50_ms)}`;
  });
  const path = `<path d="${line.join("")}" fill="none" stroke="#5b84c4" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" preserveAspectRatio="none">${points.length < 2 ? "" : path}</svg>`;
}
