import { viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { listMonitors } from "../../data/monitor-settings/read.ts";
import { listBrowsers } from "../../data/notify-contacts/read.ts";
import { hasPermission } from "../../domain/roles.ts";
import { listWebhookAttempts } from "../../features/webhooks/deliveries.ts";
import { listWebhooks } from "../../features/webhooks/service.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { PostButton } from "../components/pieces.tsx";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";

const ONE = { limit: 1, offset: 0 };
/** Whether an alert arrived is asked of these channels; a beginner has one. */
const CHANNELS_ASKED = { limit: 2, offset: 0 };
const OTHER_TYPES = MONITOR_TYPES.filter((type) => type !== "heartbeat");

export interface Step {
  name: string;
  says: string;
  href: string;
  isDone: boolean;
}

/** What an installation is good for, in five steps; null once all are done. */
export async function findFirstSteps(ctx: RequestScope, pages: readonly PageChoice[]): Promise<Step[] | null> {
  const text = words("dashboard-frame").first_steps;
  const mayAlert = (page: PageChoice) => hasPermission(page.membership, "alerting.write");
  const visible = { visible_to: await viewerOf(ctx) };
  const [checked, heartbeats, channels, browsers] = await Promise.all([
    listMonitors(ctx.db, visible, ONE, { type: OTHER_TYPES }),
    listMonitors(ctx.db, visible, ONE, { type: ["heartbeat"] }),
    listWebhooks(ctx, undefined, CHANNELS_ASKED),
    // A browser is verified by the test message that arrived there.
    listBrowsers(ctx.db, [requireUser(ctx).user_id]),
  ]);
  const own = channels.rows.filter(({ webhook }) => {
    const page = pages.find(({ id }) => id === webhook.status_page_id);
    return webhook.status_page_id === null || (page !== undefined && mayAlert(page));
  });
  const attempts = await Promise.all(
    own.map(({ webhook }) => listWebhookAttempts(ctx, webhook.id, ONE, { state: ["delivered"] })),
  );
  const steps = [
    {
      name: text.website.name,
      says: text.website.hint,
      href: "/app/monitors/watch",
      isDone: checked.total > 0,
    },
    {
      name: text.job.name,
      says: text.job.hint,
      href: "/app/monitors/new?type=heartbeat",
      isDone: heartbeats.total > 0,
    },
    {
      name: text.page.name,
      says: text.page.hint,
      href: "/app/pages/new",
      isDone: pages.length > 0,
    },
    {
      name: text.channel.name,
      says: text.channel.hint,
      href: "/app/alerts/new",
      isDone: channels.total > 0 || browsers.length > 0,
    },
    {
      name: text.alert.name,
      says: text.alert.hint,
      href: "/app/alerts",
      isDone: browsers.length > 0 || attempts.some(({ total }) => total > 0),
    },
  ];
  return steps.every(({ isDone }) => isDone) ? null : steps;
}

/** Remains until all is done or it is dismissed. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const text = words("dashboard-frame").first_steps;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card" aria-labelledby="next">
      <div class="row">
        <h2 id="next">{text.title}</h2>
        <span class="quiet">{text.progress({ done, total: steps.length })}</span>
      </div>
      <ol class="rows first-steps">
        {steps.map(({ name, says, href, isDone }) => (
          <li>
            {isDone ? (
              <p class="quiet">
                <LineIcon of="circle-check" /> {name} <span class="unseen">{text.done}</span>
              </p>
            ) : (
              <>
                <a href={href}>{name}</a>
                <p class="quiet">{says}</p>
              </>
            )}
          </li>
        ))}
      </ol>
      <PostButton action="/app/first-steps/dismiss" label={text.dismiss} />
    </section>
  );
}
