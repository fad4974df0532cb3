import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { notFound } from "../../contract/errors.ts";
import { EVENTS, headingOf, ROUTABLE_EVENTS } from "../../contract/events.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { type FormField, type FormValues, readBody, storedValues } from "../form-fields.ts";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
import { type Refused, saveForm, shownForm } from "../pages/tab.tsx";
import { FormCard } from "../pages/views.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { AUDIENCE_OPTIONS, AUDIENCES } from "./audiences.ts";
import { alertTabs } from "./views.tsx";

const params = z.object({ page: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined) });
const address = (page: string) => `/app/alerts/routing?page=${page}`;

/** A field for each event whose audience a page may decide on. */
const FIELDS: readonly FormField[] = ROUTABLE_EVENTS.map((name) => ({
  kind: "select",
  name,
  label: headingOf(name),
  empty: `As usual: ${AUDIENCES[EVENTS[name].classification]}`,
  options: AUDIENCE_OPTIONS,
}));

export const endpoints = [
  view({ path: "/app/alerts/routing", summary: "Who is notified of what", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    const reason = "Routing decides, for a status page, who is notified of which event.";
    return chosen ? showRouting(c, chosen) : showNoPage(c, { title: "Routing", section: "alerts", reason });
  }),

  action({ path: "/app/alerts/routing/{page}", summary: "Save the routing", params }, async (c, entered, { page }) => {
    const saved = await saveForm(c, {
      fields: FIELDS,
      stored: await loadRouting(c, page),
      sent: entered,
      method: "PATCH",
      path: `/api/uptime/v1/status-pages/${page}/alerting`,
      toBody: (merged) => ({ alert_routing: readRouting(merged) }),
    });
    if (!saved.refused) return redirectWithNotice(address(page), `Saved.${saved.kept}`);
    const chosen = await choosePage(c, page);
    if (!chosen) throw notFound("status page");
    return showRouting(c, chosen, saved.refused);
  }),
];

/** As the form shows it: an empty text where the usual audience is notified. */
async function loadRouting(c: AppContext, id: string): Promise<FormValues> {
  const { page } = await requireVisiblePage(c.var.ctx, id);
  return storedValues(FIELDS, page.alert_routing);
}

const readRouting = (entered: URLSearchParams) =>
  Object.fromEntries(Object.entries(readBody(FIELDS, entered)).filter(([, audience]) => audience !== null));

async function showRouting(c: AppContext, chosen: ChosenPage, refused?: Refused): Promise<Response> {
  const { page } = chosen;
  const form = shownForm(FIELDS, await loadRouting(c, page.id), refused);
  return showView(c, {
    title: "Routing",
    section: "alerts",
    trail: [{ href: "/app/alerts", text: "Alerts" }],
    isNarrow: true,
    address: address(page.id),
    hasProblem: refused !== undefined,
    ...(refused && { status: refused.status, headers: refused.headers }),
    children: (
      <>
        {alertTabs("routing")}
        <PageTabs {...chosen} href={address} />
        <p class="quiet">
          Events of <span dir="auto">{page.name}</span> reach channels, subscribers and on-call by their audience.
        </p>
        <FormCard
          title="Who is notified of what"
          fields={FIELDS}
          {...form}
          isTyped={refused !== undefined}
          action={`/app/alerts/routing/${page.id}`}
          may_change={hasPermission(page.membership, "alerting.write")}
        />
      </>
    ),
  });
}
