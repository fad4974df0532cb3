import { z } from "zod";
import { listTargetOptions } from "../../access/alert-targets.ts";
import { ApiError } from "../../contract/errors.ts";
import { Webhook, type WebhookProvider, WebhookTestResult, WebhookUpdate } from "../../contract/webhook.ts";
import { getUseOfChannel } from "../../features/notify-contacts/phone-use.ts";
import { listNewestOf, listWebhookAttempts } from "../../features/webhooks/deliveries.ts";
import { presentAttempt, presentWebhook } from "../../features/webhooks/present.ts";
import { previewWebhook } from "../../features/webhooks/preview.ts";
import {
  getWebhook,
  listChangeableWebhooks,
  listSecretVersions,
  listWebhooks,
} from "../../features/webhooks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { invalidInput } from "../../http/errors.ts";
import { BrowserOffer, loadBrowserOffer } from "../account/browser-offer.tsx";
import { nameOfPath } from "../alert-targets.ts";
import { problemsIn, requireApi } from "../call-api.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { pathAfter } from "../form.ts";
import { readBody, storedValues, toSentences } from "../form-fields.ts";
import { formatMilliseconds } from "../formats.ts";
import { ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, showTyped, submitForm } from "../object-form.tsx";
import { listedPages } from "../page-choice.tsx";
import { redirectTo } from "../responses.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { nameFields, nestConfig, providerFields, providerIn, scopeFields } from "./form.ts";
import { ChannelFields, Previews, ProviderTemplates, ProviderTiles } from "./form-views.tsx";
import { MonthOfTelephones, PhoneOffer, PhoneSteps } from "./phone.tsx";
import { addPhoneChannel } from "./phone-channel.ts";
import { channelListView, deliveriesView } from "./views.tsx";

const API = "/api/uptime/v1/webhooks";
const LIST_MAX = 200;
const params = z.object({ id: z.uuid() });
const ListQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const NewQuery = z.object({
  provider: z.string().max(40).optional().transform(providerIn),
  status_page_id: z.uuid().optional().catch(undefined),
});
const ChannelQuery = z.object({ channel: z.uuid().optional().catch(undefined), offset: ListOffset });
const ids = { params: { id: "webhook" } } as const;
const listIntents = () => [{ intent: "preview", label: words("dashboard-alerts").channels.preview }];
const trail = () => [{ href: "/app/alerts", text: words("dashboard-alerts").channels.title }];

export const endpoints = [
  view(
    { path: "/app/alerts", summary: "List of channels in the dashboard", query: ListQuery },
    async (c, { query }) => {
      const { offset } = query;
      const listed = await listedPages(c, query.page);
      const { rows, total } = await listWebhooks(c.var.ctx, listed.chosen?.id, partAt(offset));
      const place = { total, ...partAt(offset) };
      return showView(c, channelListView({ now: c.var.now, channels: rows.map(presentWebhook), place, listed }));
    },
  ),

  view({ path: "/app/alerts/new", summary: "Form of a new channel", query: NewQuery }, async (c, { query }) =>
    showForm(c, await newForm(c, query.provider), {
      provider: query.provider,
      ...(query.status_page_id && { status_page_id: query.status_page_id }),
    }),
  ),

  action({ path: "/app/alerts/new", summary: "Submit the form of a new channel" }, async (c, entered) => {
    const form = await newForm(c, providerIn(entered.get("provider")));
    if (entered.get("intent") === "fields") return showTyped(c, form, entered);
    if (entered.get("intent") === "preview") return showPreview(c, form, entered, null);
    const sent = await submitForm(c, form, entered, { method: "POST", path: API, toBody: nestConfig });
    if (!sent.ok) return sent.response;
    const text = words("dashboard-alerts").channels.notice;
    const [notice = text.try] = noticesOf(sent.body);
    return redirectWithNotice("/app/alerts", `${text.added} ${notice}`);
  }),

  action({ path: "/app/alerts/phone", summary: "Add a channel to a phone, by a topic made for it" }, async (c) =>
    redirectTo(await addPhoneChannel(c)),
  ),

  view(
    { path: "/app/alerts/deliveries", summary: "Deliveries of all channels, or of one", query: ChannelQuery },
    async (c, { query }) => {
      const webhooks = await listChangeableWebhooks(c.var.ctx, { limit: LIST_MAX, offset: 0 });
      const channels = webhooks.map(presentWebhook);
      const chosen = channels.find(({ id }) => id === query.channel);
      const { rows, place } = chosen
        ? await loadAttempts(c, chosen.id, query.offset)
        : {
            rows: await listNewestOf(
              c.var.ctx,
              webhooks.map(({ webhook }) => webhook),
              SHOWN_MAX,
            ),
            place: null,
          };
      const deliveries = rows.map((row) => ({ ...presentAttempt(row), webhook_id: row.webhook_id }));
      return showView(c, deliveriesView({ now: c.var.now, channels, chosen, place, deliveries }));
    },
  ),

  view(
    { path: "/app/alerts/{id}/edit", summary: "Form of a channel", params, ids, permission: "alerting.write" },
    async (c, input) => {
      const form = await editForm(c, input.params.id, undefined);
      return showForm(c, form, form.stored);
    },
  ),

  action(
    {
      path: "/app/alerts/{id}/edit",
      summary: "Submit the form of a channel",
      params,
      ids,
      permission: "alerting.write",
    },
    async (c, entered, { id }) => {
      const form = await editForm(c, id, providerIn(entered.get("provider")));
      if (entered.get("intent") === "fields") return showTyped(c, form, entered);
      if (entered.get("intent") === "preview") return showPreview(c, form, entered, id);
      const sent = await submitForm(c, form, entered, { method: "PUT", path: `${API}/${id}`, toBody: nestConfig });
      if (!sent.ok) return sent.response;
      const text = words("dashboard-alerts").channels.notice;
      return redirectWithNotice("/app/alerts", [text.saved({ kept: sent.kept }), ...noticesOf(sent.body)].join(" "));
    },
  ),

  action({ path: "/app/alerts/{id}/test", summary: "Send a test", params }, async (c, entered, { id }) => {
    const answer = WebhookTestResult.parse(await requireApi(c, { method: "POST", path: `${API}/${id}/test` }));
    return redirectWithNotice(pathAfter(entered.get("next") ?? "/app/alerts", c.var.publicUrl), outcomeOf(answer));
  }),

  action(
    { path: "/app/alerts/{id}/toggle", summary: "Turn a channel on or off", params },
    async (c, entered, { id }) => {
      const text = words("dashboard-alerts").channels.notice;
      const { name } = await loadChannel(c, id);
      const is_active = entered.get("is_active") === "true";
      await requireApi(c, { method: "PUT", path: `${API}/${id}`, body: { is_active } });
      const undo = `/app/alerts/${id}/toggle?is_active=${!is_active}`;
      return redirectWithNotice(
        "/app/alerts",
        is_active ? text.on({ channel: name }) : text.off({ channel: name }),
        undo,
      );
    },
  ),

  action({ path: "/app/alerts/{id}/redeliver", summary: "Deliver again", params }, async (c, entered, { id }) => {
    const delivery = encodeURIComponent(entered.get("delivery") ?? "");
    await requireApi(c, { method: "POST", path: `${API}/${id}/deliveries/${delivery}/redeliver` });
    return redirectWithNotice(
      `/app/alerts/deliveries?channel=${id}`,
      words("dashboard-alerts").channels.notice.redelivered,
    );
  }),

  ...confirmedDeletion(
    {
      path: "/app/alerts/{id}/delete",
      summary: "Delete a channel",
      params,
      ids,
      permission: "alerting.write",
    },
    (c, { id }) => deletionOf(c, id),
  ),
];

/** The form again, above it what the channel would send; nothing is sent. */
async function showPreview(c: AppContext, form: ObjectForm, entered: URLSearchParams, id: string | null) {
  const parsed = WebhookUpdate.safeParse(nestConfig(readBody(form.fields, entered)));
  try {
    if (!parsed.success) throw invalidInput(parsed.error);
    const messages = await previewWebhook(c.var.ctx, id, parsed.data);
    return showTyped(c, form, entered, { result: <Previews messages={messages} /> });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    const problems = toSentences(form.fields, problemsIn(error.message));
    return showTyped(c, form, entered, { problems, status: 400 });
  }
}

/** How a test went. */
function outcomeOf({ delivered, error, status, duration_ms }: z.output<typeof WebhookTestResult>): string {
  const text = words("dashboard-alerts").channels.notice;
  if (delivered) return text.arrived({ duration: formatMilliseconds(duration_ms) });
  return error === null ? text.answered({ status: String(status) }) : text.failed({ reason: error });
}

/** What the answer to a change says besides, in sentences. */
function noticesOf(body: unknown): string[] {
  const { notices = [] } = Webhook.pick({ notices: true }).parse(body);
  return notices.map(({ path, message }) =>
    words("dashboard-alerts").channels.problem({ field: nameOfPath(path), message }),
  );
}

async function loadAttempts(c: AppContext, channel: string, offset: number) {
  const { rows, total } = await listWebhookAttempts(c.var.ctx, channel, partAt(offset), {});
  return { rows, place: { total, ...partAt(offset) } };
}

async function loadChannel(c: AppContext, id: string) {
  return presentWebhook(await getWebhook(c.var.ctx, id));
}

/** The fields of a form for this provider, and how they stand; `stored` is the provider of the channel that is edited. */
async function fieldsOf(
  c: AppContext,
  provider: WebhookProvider,
  stored?: WebhookProvider,
): Promise<Pick<ObjectForm, "fields" | "arrange">> {
  const isStored = provider === stored;
  const pages = await listPageChoices(c.var.ctx, "alerting.write");
  const scope = scopeFields(
    pages.map(({ id, name }) => ({ value: id, label: name })),
    await listTargetOptions(c.var.ctx, pages),
  );
  return {
    fields: [...nameFields(), ...providerFields(provider, isStored), ...scope],
    arrange: (shown) => <ChannelFields provider={provider} isStored={isStored} scope={scope} {...shown} />,
  };
}

async function newForm(c: AppContext, provider: WebhookProvider): Promise<ObjectForm> {
  const offer = await loadBrowserOffer(c);
  return {
    title: words("dashboard-alerts").channels.add,
    section: "alerts",
    trail: trail(),
    ...(await fieldsOf(c, provider)),
    above: (
      <>
        <BrowserOffer {...offer} />
        <PhoneOffer />
        <ProviderTiles chosen={provider} />
      </>
    ),
    intents: listIntents(),
    below: <ProviderTemplates />,
    action: "/app/alerts/new",
    cancel: "/app/alerts",
  };
}

/** For the provider that the form names; as stored before it was sent. */
async function editForm(c: AppContext, id: string, chosen: WebhookProvider | undefined): Promise<EditForm> {
  const channel = await loadChannel(c, id);
  const form = await fieldsOf(c, chosen ?? channel.provider, channel.provider);
  const config = Object.entries(channel.config).map(([name, value]) => [`config.${name}`, value]);
  const stored = {
    ...channel,
    ...Object.fromEntries(config),
    events: JSON.parse(channel.events),
    secret: channel.has_secret ? "***" : null,
  };
  return {
    title: words("dashboard-alerts").channels.edit_title({ channel: channel.name }),
    section: "alerts",
    trail: trail(),
    ...form,
    intents: listIntents(),
    above:
      channel.provider === "ntfy" ? (
        <PhoneSteps id={id} url={channel.url} />
      ) : (
        <MonthOfTelephones use={await getUseOfChannel(c.var.ctx, id)} />
      ),
    below: <ProviderTemplates />,
    action: `/app/alerts/${id}/edit`,
    cancel: "/app/alerts",
    stored: storedValues(form.fields, stored),
    masked: await listSecretVersions(c.var.ctx, id),
  };
}

async function deletionOf(c: AppContext, id: string): Promise<Deletion> {
  const text = words("dashboard-alerts").channels.deletion;
  const channel = await loadChannel(c, id);
  return {
    kind: text.kind,
    name: channel.name,
    section: "alerts",
    trail: trail(),
    list: "/app/alerts",
    path: `/app/alerts/${id}`,
    shown: `/app/alerts/${id}/edit`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}
