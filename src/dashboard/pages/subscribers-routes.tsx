import { z } from "zod";
import { requireSubscriber } from "../../access/resources.ts";
import { notFound } from "../../contract/errors.ts";
import { INVITED_MAX, SubscribersInvited } from "../../contract/subscriber.ts";
import { presentSubscriber } from "../../features/subscribers/present.ts";
import { listMySubscribers } from "../../features/subscribers/service.ts";
import type { AppContext } from "../../http/endpoint.ts";

import { callApi, errorOf } from "../call-api.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import type { FormValues, Problems } from "../form-fields.ts";
import { typedValues } from "../form-fields.ts";
import { ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { IMPORTED_MAX, inviteFields } from "./form.ts";
import { Subscribers } from "./subscribers.tsx";
import { ids, params, showTab, V1 } from "./tab.tsx";

const NAMED_MAX = 20;
const OffsetQuery = z.object({ offset: ListOffset });

const subscriberParams = params.extend({ subscriber: z.uuid() });

export const endpoints = [
  view(
    { path: "/app/pages/{id}/subscribers", summary: "Subscribers of a page", params, query: OffsetQuery, ids },
    async (c, { params: { id }, query: { offset } }) => showSubscribers(c, id, { offset }),
  ),

  action(
    { path: "/app/pages/{id}/subscribers/invite", summary: "Invite subscribers", params },
    async (c, entered, { id }) => {
      const found = addressesIn(entered.get("endpoints") ?? "", entered.get("channel") ?? "email");
      const values = typedValues(inviteFields(), entered);
      const flaw = flawOf(found);
      if (flaw !== null) return showSubscribers(c, id, { values, problems: { endpoints: flaw }, status: 400 });
      const { invited, refused } = await invite(c, { id, channel: entered.get("channel") || "email", found });
      const text = words("dashboard-pages").subscribers;
      const asked = text.asked({ n: invited });
      if (refused.length === 0) return redirectWithNotice(`/app/pages/${id}/subscribers`, asked);
      const named = refused
        .slice(0, NAMED_MAX)
        .map(({ endpoint, error }) => `${endpoint} ${error}`)
        .join("; ");
      const rest = refused.map(({ endpoint }) => endpoint).join("\n");
      const problem = `${asked} ${refused.length > NAMED_MAX ? text.refused_more({ named }) : text.refused({ named })}`;
      return showSubscribers(c, id, {
        values: { ...values, endpoints: rest },
        problems: { endpoints: problem },
        status: 400,
      });
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/pages/{id}/subscribers/{subscriber}/delete",
      summary: "Remove a subscriber",
      params: subscriberParams,
      ids: { params: { id: "page", subscriber: "subscriber" } },
      permission: "page.write",
    },
    deletionOf,
  ),
];

async function deletionOf(c: AppContext, { id, subscriber }: z.output<typeof subscriberParams>): Promise<Deletion> {
  const text = words("dashboard-pages").subscribers;
  const { endpoint_masked: name, status_page_id } = await requireSubscriber(c.var.ctx, subscriber);
  if (status_page_id !== id) throw notFound("subscriber");
  const list = `/app/pages/${id}/subscribers`;
  return {
    kind: text.kind,
    name,
    word: "address",
    section: "pages",
    trail: [{ href: list, text: words("dashboard-pages").tabs.subscribers }],
    list,
    shown: list,
    path: `${list}/${subscriber}`,
    api: `${V1}/subscribers/${subscriber}`,
    verb: [text.remove, text.removed],
    lost: text.lost,
  };
}

interface Shown {
  offset?: number;
  values?: FormValues;
  problems?: Problems;
  status?: number;
}

async function showSubscribers(c: AppContext, id: string, { offset = 0, ...shown }: Shown): Promise<Response> {
  const { rows, total } = await listMySubscribers(c.var.ctx, id, partAt(offset));
  const { values = { channel: "email" }, problems = {}, status = 200 } = shown;
  const refused = status === 200 ? undefined : { values, problems, status, headers: {} };
  return showTab(c, { id, tab: "/subscribers", refused }, ({ page, may }) => (
    <Subscribers
      page={page}
      subscribers={rows.map(presentSubscriber)}
      total={total}
      limit={SHOWN_MAX}
      offset={offset}
      now={c.var.now}
      values={values}
      problems={problems}
      may_change={may("page.write")}
    />
  ));
}

/** Those of a list with one per line, or of a table: in each row the first cell that looks like an address. */
function addressesIn(text: string, channel: string): string[] {
  const isAddress = (cell: string) => (channel === "email" ? cell.includes("@") : /^https?:/.test(cell));
  const rows = text
    .split(/\r?\n/)
    .map((row) => row.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
  return [...new Set(rows.flatMap((cells) => cells.find(isAddress) ?? []))];
}

function flawOf(found: readonly string[]): string | null {
  const text = words("dashboard-pages").subscribers;
  if (found.length === 0) return text.missing;
  return found.length > IMPORTED_MAX ? text.too_many({ max: IMPORTED_MAX }) : null;
}

interface Invited {
  id: string;
  channel: string;
  found: readonly string[];
}

/** In as many requests as it takes; what one of them refuses as a whole ends it. */
async function invite(c: AppContext, { id, channel, found }: Invited): Promise<SubscribersInvited> {
  const result: SubscribersInvited = { invited: 0, refused: [] };
  for (let n = 0; n < found.length; n += INVITED_MAX) {
    const body = { status_page_id: id, channel, endpoints: found.slice(n, n + INVITED_MAX) };
    const answer = await callApi(c, { method: "POST", path: `${V1}/subscribers`, body });
    if (!answer.ok && result.invited === 0) throw errorOf(answer);
    if (!answer.ok) {
      result.refused.push(
        ...found.slice(n).map((endpoint) => ({
          endpoint,
          error: words("dashboard-pages").subscribers.waits({ reason: answer.error }),
        })),
      );
      break;
    }
    const { invited, refused } = SubscribersInvited.parse(answer.body);
    result.invited += invited;
    result.refused.push(...refused);
  }
  return result;
}
