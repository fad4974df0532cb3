import type { RequestScope } from "../../access/scope.ts";
import { hasPermission } from "../../domain/roles.ts";
import { listWebhooks } from "../../features/webhooks/service.ts";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";

const ONE = { limit: 1, offset: 0 };

/** What an account with monitors lacks: a status page, or a channel for its alerts. */
export interface Lacking {
  page: boolean;
  channel: boolean;
}

/** A member who may add no channel to any of the pages is asked for none. */
export async function findLacking(ctx: RequestScope, pages: readonly PageChoice[]): Promise<Lacking> {
  const page = pages.length === 0;
  const mayAdd = page || pages.some(({ membership }) => hasPermission(membership, "alerting.write"));
  return { page, channel: mayAdd && (await listWebhooks(ctx, undefined, ONE)).total === 0 };
}

/** Gone once everything is there. */
export function NextSteps({ lacking }: { lacking: Lacking }) {
  const text = words("dashboard-frame").next_steps;
  if (!lacking.page && !lacking.channel) return null;
  return (
    <section class="card" aria-labelledby="next">
      <h2 id="next">{text.title}</h2>
      <ul class="rows">
        {lacking.channel ? (
          <li>
            <a href="/app/alerts/new">{text.channel.name}</a>
            <p class="quiet">{text.channel.hint}</p>
          </li>
        ) : null}
        {lacking.page ? (
          <li>
            <a href="/app/pages/new">{text.page.name}</a>
            <p class="quiet">{text.page.hint}</p>
          </li>
        ) : null}
      </ul>
    </section>
  );
}
