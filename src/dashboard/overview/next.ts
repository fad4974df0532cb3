import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { findOccurrence } from "../../domain/maintenance.ts";
import { findOnCall, listVacancies, type Schedule } from "../../domain/on-call.ts";
import { listMyMaintenance } from "../../features/maintenance/service.ts";
import { listMembers } from "../../features/members/service.ts";
import { presentNotification } from "../../features/notifications/present.ts";
import { listMyNotifications } from "../../features/notifications/service.ts";
import { listSchedules } from "../../features/on-call/schedules.ts";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";

/** More pages have their own views; the overview asks two questions of each. */
const PAGES_ASKED = 6;
const SCHEDULES = { limit: 10, offset: 0 };
const TEAM = { limit: 100, offset: 0 };
const WINDOWS = { limit: 20, offset: 0 };
const WINDOWS_SHOWN = 5;
const NOTIFICATIONS = { limit: 3, offset: 0 };

export interface OnCallNow {
  page: string;
  schedule: string;
  /** Null: nobody is. */
  person: string | null;
  until: number | null;
  /** Who is next, where nobody is. */
  next: { person: string; at: number; is_first: boolean } | null;
}

/** Who is on call now, for each schedule of the first pages; `self` is what the caller is called. */
export async function listOnCallNow(
  ctx: RequestScope,
  pages: readonly PageChoice[],
  self = words("dashboard-frame").overview.you,
): Promise<OnCallNow[]> {
  const found = await Promise.all(pages.slice(0, PAGES_ASKED).map((page) => onCallOf(ctx, page, self)));
  return found.flat();
}

async function onCallOf(ctx: RequestScope, page: PageChoice, self: string): Promise<OnCallNow[]> {
  const text = words("dashboard-frame").overview;
  const { rows } = await listSchedules(ctx, [page.id], SCHEDULES);
  const active = rows.filter(({ is_active }) => is_active);
  if (active.length === 0) return [];
  const team = await listMembers(ctx, page.id, TEAM);
  const names = new Map(team.rows.map(({ user_id, name, email }) => [user_id, name ?? email]));
  names.set(requireUser(ctx).user_id, self);
  const nameOf = (id: string) => names.get(id) ?? text.owner;
  return active.map((schedule) => {
    const current = findOnCall(schedule, ctx.now);
    return {
      page: page.name,
      schedule: schedule.name,
      person: current && nameOf(current.user_id),
      until: current?.until ?? null,
      next: current ? null : nextOf(schedule, ctx.now, nameOf),
    };
  });
}

function nextOf(schedule: Schedule, now: number, nameOf: (id: string) => string): OnCallNow["next"] {
  const [vacancy] = listVacancies(schedule, now);
  if (!vacancy?.next) return null;
  const { user_id, at } = vacancy.next;
  return { person: nameOf(user_id), at, is_first: vacancy.kind === "before" };
}

/** Those among the newest notifications that the caller has not read. */
export async function listUnread(ctx: RequestScope) {
  const { rows } = await listMyNotifications(ctx, NOTIFICATIONS);
  return rows.filter(({ read_at }) => read_at === null).map(presentNotification);
}

export interface WindowAhead {
  id: string;
  title: string;
  start_at: number;
  end_at: number;
}

/** Maintenance in progress and to come, the next first. */
export async function listWindowsAhead(ctx: RequestScope): Promise<WindowAhead[]> {
  const { windows } = await listMyMaintenance(ctx, { status: ["in_progress", "scheduled"] }, WINDOWS);
  return windows
    .flatMap((window) => {
      const next = findOccurrence(window, window.timezone, ctx.now);
      return next ? [{ id: window.id, title: window.title, start_at: next.start_at, end_at: next.end_at }] : [];
    })
    .sort((a, b) => a.start_at - b.start_at)
    .slice(0, WINDOWS_SHOWN);
}
