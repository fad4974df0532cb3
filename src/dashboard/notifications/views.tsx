import type { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import type { Notification, NotificationType } from "../../contract/notification.ts";
import { listTargetKinds, type TargetKind } from "../../data/notifications/read.ts";
import type { listWorstMonitors } from "../../features/overview/service.ts";
import { PostButton } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Since, Time } from "../components/time.tsx";
import { needsAttention } from "../needs-attention.ts";
import { words } from "../words.ts";

export type Shown = z.output<typeof Notification>;

/** Of what kind the objects are that notifications concern; deleted ones are absent. */
export type TargetKinds = ReadonlyMap<string, TargetKind>;
type Place = (shown: Shown, kinds: TargetKinds) => string | null;

export function listKinds(ctx: RequestScope, notifications: readonly Shown[]): Promise<TargetKinds> {
  return listTargetKinds(
    ctx.db,
    notifications.flatMap(({ target_id }) => target_id ?? []),
  );
}

const VIEWS: Record<TargetKind, string> = {
  monitor: "/app/monitors/",
  incident: "/app/incidents/",
  maintenance: "/app/maintenance/",
  agent: "/app/agents/",
};
const ofPage =
  (path: string): Place =>
  (shown) =>
    shown.status_page_id ? path + shown.status_page_id : null;
const ofTarget =
  (path: string): Place =>
  (shown) =>
    shown.target_id ? path + shown.target_id : null;
/** The outage itself, as long as there is something to look at. */
const ofAlert =
  (otherwise: Place): Place =>
  (shown, kinds) => {
    const kind = kinds.get(shown.target_id ?? "");
    return kind === undefined ? otherwise(shown, kinds) : VIEWS[kind] + shown.target_id;
  };

/** Where to look at what a notification is about; null: its own text says all. */
const PLACES: Record<NotificationType, Place> = {
  "monitor.unchecked": ofTarget("/app/monitors/"),
  "webhook.failing": ofTarget("/app/alerts/deliveries?channel="),
  "webhook.disabled": ofTarget("/app/alerts/deliveries?channel="),
  "webhook.recovered": ofTarget("/app/alerts/deliveries?channel="),
  "delivery.given_up": ofTarget("/app/alerts/deliveries?channel="),
  "contact.ended": () => "/app/account/contacts",
  "member.joined": ofPage("/app/team?page="),
  "member.set_up_ended": ofPage("/app/alerts?page="),
  "page.transferred": () => "/app/pages",
  "page.transfer_declined": ofPage("/app/pages/"),
  "incident.assigned": ofTarget("/app/incidents/"),
  "domain.active": ofPage("/app/pages/"),
  "domain.failing": ofPage("/app/pages/"),
  "domain.inactive": ofPage("/app/pages/"),
  "team.alert": ofAlert(() => "/app"),
  "oncall.notified": ofAlert(ofPage("/app/on-call?page=")),
  "oncall.exhausted": ofAlert(ofPage("/app/on-call?page=")),
  "oncall.gap": ofPage("/app/on-call?page="),
  "oncall.shift": ofPage("/app/on-call?page="),
  "service.alarm": () => "/app/installation",
};

const isKnown = (type: string): type is NotificationType => Object.hasOwn(PLACES, type);

interface ListProps {
  notifications: readonly Shown[];
  kinds: TargetKinds;
  now: number;
  /** Where the buttons lead back to: the offset of this part of the list. */
  offset: number;
}

export function NotificationList({ notifications, kinds, now, offset }: ListProps) {
  const text = words("dashboard-alerts").notifications;
  return (
    <ul class="rows card">
      {notifications.map((each) => (
        <li class="row">
          <Words notification={each} kinds={kinds} now={now} />
          <span class="actions">
            <span id={newnessId(each)}>{each.is_read ? null : <New />}</span>
            <PostButton
              action={`/app/notifications/${each.id}`}
              label={each.is_read ? text.mark_unread : text.mark_read}
              fields={{ is_read: String(!each.is_read), offset: String(offset) }}
              result={{ id: newnessId(each), shown: each.is_read ? <New /> : null }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Monitors that are not well now, whether anybody was notified of them or not. */
export function Troubled({ monitors, now }: TroubledProps) {
  const troubled = monitors.filter(({ status }) => needsAttention(status));
  if (troubled.length === 0) return null;
  return (
    <section aria-labelledby="troubled-title">
      <h2 id="troubled-title">{words("dashboard-alerts").notifications.troubled}</h2>
      <ul class="rows card">
        {troubled.map(({ id, name, status, status_since }) => (
          <li class="row">
            <a href={`/app/monitors/${id}`} dir="auto">
              {name}
            </a>
            <span>
              <StatusWord status={status} /> <Since at={status_since} now={now} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TroubledProps {
  monitors: Awaited<ReturnType<typeof listWorstMonitors>>;
  now: number;
}

const newnessId = ({ id }: Shown) => `new-${id}`;

function New() {
  return <span class="tag">{words("dashboard-alerts").notifications.new}</span>;
}

/** The title leads to what it is about. */
export function Words({ notification, kinds, now }: { notification: Shown; kinds: TargetKinds; now: number }) {
  const { said } = words("dashboard-alerts").notifications;
  const at = <Time at={Date.parse(notification.created_at)} now={now} />;
  const place = isKnown(notification.type) ? PLACES[notification.type](notification, kinds) : null;
  return (
    <div>
      <p>
        {place === null ? (
          <strong dir="auto">{notification.title}</strong>
        ) : (
          <a href={place} dir="auto">
            {notification.title}
          </a>
        )}
      </p>
      <p class="quiet">
        {notification.message === "" ? at : said.parts({ at, message: <span dir="auto">{notification.message}</span> })}
      </p>
    </div>
  );
}
