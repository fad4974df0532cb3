import { HomeQuery } from "../../contract/dashboard.ts";
import { getFleet, getOverview } from "../../features/overview/service.ts";
import { FIRST_STEPS_COOKIE, firstStepsCookie, readCookie } from "../cookies.ts";
import { listKinds } from "../notifications/views.tsx";
import { redirectTo } from "../responses.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, view } from "../view.ts";
import { findFirstSteps } from "./first-steps.tsx";
import { listOnCallNow, listUnread, listWindowsAhead } from "./next.ts";
import { overviewView } from "./views.tsx";

const PAGES_SHOWN = 12;

export const endpoints = [
  view({ path: "/app", summary: "Overview of the dashboard", query: HomeQuery }, async (c, { query }) => {
    const { ctx } = c.var;
    const [found, pages] = await Promise.all([getOverview(ctx), listPageChoices(ctx)]);
    const [on_call, windows, unread, steps, fleet] = await Promise.all([
      listOnCallNow(ctx, pages),
      listWindowsAhead(ctx),
      listUnread(ctx),
      readCookie(c.req.raw, FIRST_STEPS_COOKIE) === undefined ? findFirstSteps(ctx, pages) : null,
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
        steps,
        pages: pages.slice(0, PAGES_SHOWN),
        more_pages: Math.max(0, pages.length - PAGES_SHOWN),
        joined: joined?.name ?? null,
      }),
    );
  }),

  action({ path: "/app/first-steps/dismiss", summary: "Show the first steps no longer, in this browser" }, () =>
    redirectTo("/app", firstStepsCookie()),
  ),
];
