import { z } from "zod";
import { requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { notFound } from "../../contract/errors.ts";
import { EVENTS, ROUTABLE_EVENTS } from "../../contract/events.ts";
import type { AlertRouting } from "../../contract/page-settings.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { ListPages, Table } from "../components/pieces.tsx";
import { type FormField, type FormValues, readBody, storedValues } from "../form-fields.ts";
import { addressWith, ListOffset, partOf } from "../lists.ts";
import { type ListedPages, listedPages, PageFilter, showNoPage } from "../page-choice.tsx";
import { type Refused, saveForm, shownForm } from "../pages/tab.tsx";
import { FormCard } from "../pages/views.tsx";
import { eventName } from "../registry-names.ts";
import type { PageChoice } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { audienceOptions } from "./audiences.ts";
import { alertTabs } from "./views.tsx";

const params = z.object({ page: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const address = (page: string | undefined, offset?: number) => addressWith("/app/alerts/routing", { page, offset });

/** A field for each event whose audience a page may decide on. */
function listFields(): FormField[] {
  const { audiences, routing } = words("dashboard-alerts");
  return ROUTABLE_EVENTS.map((name) => ({
    kind: "select",
    name,
    label: eventName(name),
    empty: routing.usual_is({ audience: audiences[EVENTS[name].classification] }),
    options: audienceOptions(),
  }));
}

export const endpoints = [
  view({ path: "/app/alerts/routing", summary: "Who is notified of what", query: PageQuery }, async (c, { query }) => {
    const listed = await listedPages(c, query.page);
    const { title, reason } = words("dashboard-alerts").routing;
    if (listed.pages.length === 0) return showNoPage(c, { title, section: "alerts", reason });
    const [only, ...others] = listed.shown;
    return only && others.length === 0 ? showRouting(c, listed, only) : showRoutings(c, listed, query.offset);
  }),

  action({ path: "/app/alerts/routing/{page}", summary: "Save the routing", params }, async (c, entered, { page }) => {
    const saved = await saveForm(c, {
      fields: listFields(),
      stored: await loadRouting(c, page),
      sent: entered,
      method: "PATCH",
      path: `/api/uptime/v1/status-pages/${page}/alerting`,
      toBody: (merged) => ({ alert_routing: readRouting(merged) }),
    });
    if (!saved.refused)
      return redirectWithNotice(address(page), words("dashboard-alerts").channels.notice.saved({ kept: saved.kept }));
    const listed = await listedPages(c, page);
    if (!listed.chosen) throw notFound("status page");
    return showRouting(c, listed, listed.chosen, saved.refused);
  }),
];

/** As the form shows it: an empty text where the usual audience is notified. */
async function loadRouting(c: AppContext, id: string): Promise<FormValues> {
  const { page } = await requireVisiblePage(c.var.ctx, id);
  return storedValues(listFields(), page.alert_routing);
}

const readRouting = (entered: URLSearchParams) =>
  Object.fromEntries(Object.entries(readBody(listFields(), entered)).filter(([, audience]) => audience !== null));

function head() {
  const { channels, routing } = words("dashboard-alerts");
  return { title: routing.title, section: "alerts", trail: [{ href: "/app/alerts", text: channels.title }] } as const;
}

async function showRouting(c: AppContext, listed: ListedPages, page: PageChoice, refused?: Refused): Promise<Response> {
  const text = words("dashboard-alerts").routing;
  const fields = listFields();
  const form = shownForm(fields, await loadRouting(c, page.id), refused);
  return showView(c, {
    ...head(),
    isNarrow: true,
    address: address(page.id),
    hasProblem: refused !== undefined,
    ...(refused && { status: refused.status, headers: refused.headers }),
    children: (
      <>
        {alertTabs("routing", listed.chosen?.id)}
        <PageFilter {...listed} href={address} />
        <p class="quiet">{text.lead.parts({ page: <span dir="auto">{page.name}</span> })}</p>
        <FormCard
          title={text.caption}
          fields={fields}
          {...form}
          isTyped={refused !== undefined}
          action={`/app/alerts/routing/${page.id}`}
          may_change={hasPermission(page.membership, "alerting.write")}
        />
      </>
    ),
  });
}

/** What each page decides otherwise, and the way to its form. */
async function showRoutings(c: AppContext, listed: ListedPages, offset: number): Promise<Response> {
  const text = words("dashboard-alerts").routing;
  const { shown, place } = partOf(listed.shown, offset);
  const found = await requireVisiblePages(
    c.var.ctx,
    shown.map(({ id }) => id),
  );
  return showView(c, {
    ...head(),
    children: (
      <>
        {alertTabs("routing")}
        <PageFilter {...listed} href={address} />
        <Table caption={text.caption} head={[text.page, text.otherwise]} isStacked>
          {found.map(({ page: { id, name, alert_routing } }) => (
            <tr>
              <th scope="row" dir="auto">
                <a href={address(id)}>{name}</a>
              </th>
              <td>{describeRouting(alert_routing)}</td>
            </tr>
          ))}
        </Table>
        <ListPages {...place} href={(from) => address(undefined, from)} />
      </>
    ),
  });
}

function describeRouting(routing: AlertRouting): string {
  const decided = ROUTABLE_EVENTS.filter((name) => routing[name] !== undefined).map(eventName);
  return decided.length === 0 ? words("dashboard-alerts").routing.usual : decided.join(", ");
}
