import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { presentNotification } from "../../features/notifications/present.ts";
import { listMyNotifications } from "../../features/notifications/service.ts";
import { listWorstMonitors } from "../../features/overview/service.ts";
import { trail } from "../account/shown-once.tsx";
import { AccountTabs } from "../account/tabs.tsx";
import { requireApi } from "../call-api.ts";
import { EmptyState, ListPages, PostButton } from "../components/pieces.tsx";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { listKinds, NotificationList, Troubled } from "./views.tsx";

const API = "/api/core/v1/notifications";
const Query = z.object({ offset: ListOffset });
/** What is more than that, the overview leads to. */
const TROUBLED_MAX = 10;
const params = z.object({ id: z.uuid() });
const address = (offset: number) => addressWith("/app/notifications", { offset });

export const endpoints = [
  view(
    { path: "/app/notifications", summary: "Notifications in the dashboard", query: Query },
    async (c, { query: { offset } }) => {
      const text = words("dashboard-alerts").notifications;
      const { rows, total } = await listMyNotifications(c.var.ctx, partAt(offset));
      const notifications = rows.map(presentNotification);
      const [kinds, worst] = await Promise.all([
        listKinds(c.var.ctx, notifications),
        listWorstMonitors(c.var.ctx, TROUBLED_MAX),
      ]);
      const [newest] = notifications;
      const isUnread = notifications.some(({ is_read }) => !is_read);
      return showView(c, {
        title: text.title,
        section: "account",
        trail: trail(),
        isLive: true,
        actions: (
          <>
            {newest && isUnread ? (
              <PostButton
                action="/app/notifications/read"
                label={text.mark_all}
                fields={{ until: newest.created_at }}
              />
            ) : null}
            <a class="button second" href="/app/account/notifications">
              {text.choose}
            </a>
          </>
        ),
        children: (
          <>
            <AccountTabs open="/app/notifications" isOperator={requireUser(c.var.ctx).is_operator} />
            <div id="bell-panel" data-until={isUnread ? newest?.created_at : undefined}>
              <div id="troubled" data-live>
                <Troubled monitors={worst} now={c.var.now} />
              </div>
              <div id="notifications" data-live>
                {notifications.length === 0 ? (
                  <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState>
                ) : (
                  <NotificationList notifications={notifications} kinds={kinds} now={c.var.now} offset={offset} />
                )}
              </div>
            </div>
            <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={address} />
          </>
        ),
      });
    },
  ),

  action({ path: "/app/notifications/read", summary: "Mark all notifications as read" }, async (c, entered) => {
    await requireApi(c, { method: "POST", path: `${API}/read`, body: { until: entered.get("until") } });
    return redirectWithNotice(address(0), words("dashboard-alerts").notifications.notice.all_read);
  }),
  action(
    { path: "/app/notifications/{id}", summary: "Mark a notification as read or unread", params },
    async (c, entered, { id }) => {
      const text = words("dashboard-alerts").notifications.notice;
      const is_read = entered.get("is_read") === "true";
      await requireApi(c, { method: "PATCH", path: `${API}/${id}`, body: { is_read } });
      const offset = ListOffset.parse(entered.get("offset"));
      return redirectWithNotice(address(offset), is_read ? text.read : text.unread);
    },
  ),
];
