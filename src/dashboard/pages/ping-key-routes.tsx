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
import { API, params } from "./tab.tsx";

const FIELDS: readonly FormField[] = [
  {
    kind: "text",
    name: "key",
    label: "Key of another tool",
    hint: "the ping key of a project of Healthchecks, whose jobs go on with it; empty: a new one",
    maxlength: 100,
  },
];

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
      title: "Ping key",
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
      return redirectWithNotice(`/app/pages/${id}/services`, "The ping key is removed.");
    },
  ),
];

async function pingKeyForm(c: AppContext, id: string): Promise<ObjectForm> {
  const [{ page }, known] = await Promise.all([requireVisiblePage(c.var.ctx, id), findPingKeyOf(c.var.ctx.db, id)]);
  const path = `/app/pages/${id}`;
  return {
    title: "Ping key",
    section: "pages",
    trail: [
      { href: "/app/pages", text: "Status pages" },
      { href: `${path}/services`, text: page.name },
    ],
    fields: FIELDS,
    action: `${path}/ping-key`,
    submit: known ? "Replace the key" : "Make a key",
    cancel: `${path}/services`,
    above: (
      <p class="quiet">
        With one key all jobs of this page send heartbeats, each to the monitor whose key it names. The first heartbeat
        of a new job makes its monitor.{known ? " A new key ends the present one, which no view can show again." : ""}
      </p>
    ),
    below: known ? <PostButton action={`${path}/ping-key/remove`} label="Remove the key" kind="danger" /> : null,
  };
}

function Made({ url, done }: { url: string; done: string }) {
  const address = (name: string) => url.replace("{key}", name);
  return (
    <section class="card" aria-label="Ping key">
      <CopyText label="A job ran" text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}?create=1"`} />
      <CopyText
        label="A job started"
        text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}/start?create=1"`}
      />
      <CopyText
        label="A job ended with its exit status"
        text={`curl -fsS -m 10 --retry 5 "${address("nightly-backup")}/$?"`}
      />
      <p class="quiet">This is shown once. Keep it where nobody else reads it.</p>
      <p class="actions">
        <a class="button" href={done}>
          Done
        </a>
      </p>
    </section>
  );
}
