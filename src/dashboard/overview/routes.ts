import { HomeQuery } from "../../contract/dashboard.ts";
import { getFleet, getOverview } from "../../features/overview/service.ts";
import { listKinds } from "../notifications/views.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { listOnCallNow, listUnread, listWindowsAhead } from "./next.ts";
import { findLacking } from "./next-steps.tsx";
import { overviewView } from "./views.tsx";

const PAGES_SHOWN = 12;

export const endpoints = [
  view({ path: "/app", summary: "Overview of the dashboard", query: HomeQuery }, async (c, { query }) => {
    const { ctx } = c.var;
    const [found, pages] = await Promise.all([getOverview(ctx), listPageChoices(ctx)]);
    const [on_call, windows, unread, lacking, fleet] = await Promise.all([
      listOnCallNow(ctx, pages),
      listWindowsAhead(ctx),
      listUnread(ctx),
      found.statuses.length === 0 ? null : findLacking(ctx, pages),
      found.statuses.length === 0 ? null : getFleet(ctx),
    ]);
    const joined = pages.find(({ id, membership }) => id === query.joined && membership.role !== "owner");
    return showView(
      c,
      overviewView({
        now: ctx.now,
        found,
        fleet,
        on_call,
        windows,
        unread,
        kinds: await listKinds(ctx, unread),
        lacking,
        pages: pages.slice(0, PAGES_SHOWN),
        more_pages: Math.max(0, pages.length - PAGES_SHOWN),
        joined: joined?.name ?? null,
      }),
    );
  }),
];
