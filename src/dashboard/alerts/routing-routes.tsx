import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { EVENTS, ROUTABLE_EVENTS } from "../../contract/events.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import type { FormField, FormValues } from "../form-fields.ts";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
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
  label: name,
  empty: `As usual: ${AUDIENCES[EVENTS[name].classification]}`,
  options: AUDIENCE_OPTIONS,
}));

export const endpoints = [
  view({ path: "/app/alerts/routing", summary: "Who is told of what", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    const reason = "Routing decides, for a status page, who is told of which event.";
    return chosen ? showRouting(c, chosen) : showNoPage(c, { title: "Routing", section: "alerts", reason });
  }),

  action({ path: "/app/alerts/routing/{page}", summary: "Save the routing", params }, async (c, entered, { page }) => {
    const chosen = FIELDS.map(({ name }) => [name, entered.get(name)] as const).filter(([, audience]) => audience);
    const body = { alert_routing: Object.fromEntries(chosen) };
    await requireApi(c, { method: "PATCH", path: `/api/uptime/v1/status-pages/${page}/alerting`, body });
    return redirectWithNotice(address(page), "Saved.");
  }),
];

async function showRouting(c: AppContext, chosen: ChosenPage): Promise<Response> {
  const { page } = await requireVisiblePage(c.var.ctx, chosen.page.id);
  const values: FormValues = { ...page.alert_routing };
  return showView(c, {
    title: "Routing",
    section: "alerts",
    trail: [{ href: "/app/alerts", text: "Alerts" }],
    isNarrow: true,
    children: (
      <>
        {alertTabs("routing")}
        <PageTabs {...chosen} href={address} />
        <p class="quiet">
          Events of <span dir="auto">{page.name}</span> reach channels, subscribers and on-call by their audience.
        </p>
        <FormCard
          title="Who is told of what"
          fields={FIELDS}
          values={values}
          problems={{}}
          action={`/app/alerts/routing/${page.id}`}
          may_change={hasPermission(chosen.page.membership, "alerting.write")}
        />
      </>
    ),
  });
}
