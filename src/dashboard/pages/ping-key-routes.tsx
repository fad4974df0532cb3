import { requireVisiblePage } from "../../access/pages.ts";
import { PingKey } from "../../contract/ping-key.ts";
import { findPingKeyOf } from "../../data/ping-keys/read.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { CopyText, PostButton } from "../components/pieces.tsx";
import type { FormField } from "../form-fields.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { API, params } from "./tab.tsx";

function listFields(): FormField[] {
  const text = words("dashboard-pages").ping_key;
  return [{ kind: "text", name: "key", label: text.key, hint: text.key_hint, maxlength: 100 }];
}

const ids = { params: { id: "page" } } as const;

export const endpoints = [
  view(
    {
      path: "/app/pages/{id}/ping-key",
      summary: "Ping key of a status page",
      params,
      ids,
      permission: "monitors.write",
    },
    async (c, { params: { id } }) => showForm(c, await pingKeyForm(c, id), {}),
  ),

  action({ path: "/app/pages/{id}/ping-key", summary: "Replace the ping key", params }, async (c, entered, { id }) => {
    const form = await pingKeyForm(c, id);
    const sent = await submitForm(c, form, entered, {
      method: "PUT",
      path: `${API}/${id}/ping-key`,
      toBody: ({ key }) => (key ? { key } : {}),
    });
    if (!sent.ok) return sent.response;
    const { ping_url } = PingKey.parse(sent.body);
    return showView(c, {
      title: words("dashboard-pages").ping_key.title,
      section: "pages",
      trail: form.trail,
      isNarrow: true,
      children: <Made url={ping_url ?? ""} done={form.cancel} />,
    });
  }),

  action(
    { path: "/app/pages/{id}/ping-key/remove", summary: "Remove the ping key", params },
    async (c, _entered, { id }) => {
      await requireApi(c, { method: "PUT", path: `${API}/${id}/ping-key`, body: { key: null } });
      return redirectWithNotice(`/app/pages/${id}/services`, words("dashboard-pages").ping_key.removed);
    },
  ),
];

async function pingKeyForm(c: AppContext, id: string): Promise<ObjectForm> {
  const text = words("dashboard-pages").ping_key;
  const [{ page }, known] = await Promise.all([requireVisiblePage(c.var.ctx, id), findPingKeyOf(c.var.ctx.db, id)]);
  const path = `/app/pages/${id}`;
  return {
    title: text.title,
    section: "pages",
    trail: [
      { href: "/app/pages", text: words("dashboard-pages").shared.pages },
      { href: `${path}/services`, text: page.name },
    ],
    fields: listFields(),
    action: `${path}/ping-key`,
    submit: known ? text.replace : text.make,
    cancel: `${path}/services`,
    above: (
      <p class="quiet">
        {text.lead}
        {known ? ` ${text.lead_known}` : ""}
      </p>
    ),
    below: known ? <PostButton action={`${path}/ping-key/remove`} label={text.remove} kind="danger" /> : null,
  };
}

function Made({ url, done }: { url: string; done: string }) {
  const text = words("dashboard-pages").ping_key;
  const address = (name: string) => url.replace("{key}", name);
  return (
    <section class="card" aria-label={text.title}>
      <CopyText label={text.ran} text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}?create=1"`} />
      <CopyText label={text.started} text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}/start?create=1"`} />
      <CopyText label={text.ended} text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}/$?"`} />
      <p class="quiet">{text.once}</p>
      <p class="actions">
        <a class="button" href={done}>
          {words("dashboard-pages").shared.done}
        </a>
      </p>
    </section>
  );
}
