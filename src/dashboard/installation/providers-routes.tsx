import { z } from "zod";
import { conflict } from "../../contract/errors.ts";
import { PROVIDER_KINDS, Provider } from "../../contract/sign-in.ts";
import { presentProvider } from "../../features/sign-in-providers/present.ts";
import { getShownProvider, listAllProviders } from "../../features/sign-in-providers/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { ACTIONS, CopyText, EmptyState, Table } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { installationTrail } from "./trail.ts";

const LIST = "/app/installation/sign-in";
const NEW = `${LIST}/new`;
const API = "/api/core/v1/sign-in-providers";
const params = z.object({ id: z.string() });
const inTrail = () => [...installationTrail(), { href: LIST, text: words("dashboard-installation").providers.title }];

function identityFields(): FormField[] {
  const text = words("dashboard-installation").providers.fields;
  const { kinds } = words("dashboard-installation").providers;
  return [
    {
      kind: "select",
      name: "kind",
      label: text.kind.label,
      options: PROVIDER_KINDS.map((value) => ({ value, label: kinds[value] })),
    },
    {
      kind: "text",
      name: "id",
      label: text.id.label,
      required: true,
      placeholder: "works",
      hint: text.id.hint,
    },
    {
      kind: "url",
      name: "issuer",
      label: text.issuer.label,
      placeholder: "https://id.works.example",
      hint: text.issuer.hint,
    },
  ];
}

function nameField(): FormField {
  const text = words("dashboard-installation").providers.fields;
  return { kind: "text", name: "name", label: text.name.label, placeholder: "Works" };
}

function termFields(): FormField[] {
  const text = words("dashboard-installation").providers.fields;
  return [
    { kind: "text", name: "client_id", label: text.client_id.label, required: true },
    {
      kind: "password",
      name: "client_secret",
      label: text.client_secret.label,
      hint: text.client_secret.hint,
    },
    {
      kind: "list",
      name: "account_domains",
      label: text.account_domains.label,
      hint: text.account_domains.hint,
    },
    {
      kind: "list",
      name: "required_domains",
      label: text.required_domains.label,
      hint: text.required_domains.hint,
    },
    {
      kind: "list",
      name: "break_glass",
      label: text.break_glass.label,
      hint: text.break_glass.hint,
    },
    {
      kind: "text",
      name: "groups_claim",
      label: text.groups_claim.label,
      hint: text.groups_claim.hint,
      placeholder: "groups",
      advanced: true,
    },
    {
      kind: "lines",
      name: "group_roles",
      label: text.group_roles.label,
      hint: text.group_roles.hint,
      advanced: true,
    },
    {
      kind: "checkbox",
      name: "refreshes_sessions",
      label: text.refreshes_sessions.label,
      hint: text.refreshes_sessions.hint,
      advanced: true,
    },
    {
      kind: "text",
      name: "active_claim",
      label: text.active_claim.label,
      hint: text.active_claim.hint,
      placeholder: "active",
      advanced: true,
    },
    {
      kind: "checkbox",
      name: "trusts_addresses",
      label: text.trusts_addresses.label,
      hint: text.trusts_addresses.hint,
      advanced: true,
    },
  ];
}

function enabledField(): FormField {
  const text = words("dashboard-installation").providers.fields;
  return {
    kind: "checkbox",
    name: "is_enabled",
    label: text.is_enabled.label,
    hint: text.is_enabled.hint,
  };
}

function newForm(): ObjectForm {
  const text = words("dashboard-installation").providers;
  return {
    title: text.add,
    section: "account",
    trail: inTrail(),
    fields: [...identityFields(), nameField(), ...termFields()],
    submit: text.submit,
    action: NEW,
    cancel: LIST,
  };
}

export const endpoints = [
  view({ path: LIST, summary: "Providers of sign-in in the dashboard, for operators" }, async (c) => {
    const { ctx } = c.var;
    const text = words("dashboard-installation").providers;
    const providers = (await listAllProviders(ctx)).map((each) => presentProvider(ctx, each));
    const add = (
      <a class="button" href={NEW}>
        {text.add}
      </a>
    );
    return showView(c, {
      title: text.title,
      section: "account",
      trail: installationTrail(),
      actions: providers.length === 0 ? undefined : add,
      children:
        providers.length === 0 ? (
          <EmptyState title={text.empty.title} action={add}>
            {text.empty.hint}
          </EmptyState>
        ) : (
          <ProviderTable providers={providers} />
        ),
    });
  }),

  view({ path: NEW, summary: "Form of a new provider of sign-in" }, async (c) => {
    await listAllProviders(c.var.ctx);
    return showForm(c, newForm(), {});
  }),
  action({ path: NEW, summary: "Add a provider of sign-in" }, async (c, entered) => {
    const sent = await submitForm(c, newForm(), entered, { method: "POST", path: API, toBody: withRoles });
    if (!sent.ok) return sent.response;
    const { id, name } = Provider.parse(sent.body);
    return redirectWithNotice(`${LIST}/${id}`, words("dashboard-installation").providers.added({ name }));
  }),

  view({ path: `${LIST}/{id}`, summary: "A provider of sign-in", params }, async (c, { params: { id } }) => {
    const provider = await load(c, id);
    if (provider.managed_by === "environment") return showConfigured(c, provider);
    const form = formOf(provider);
    return showForm(c, form, form.stored);
  }),
  action({ path: `${LIST}/{id}`, summary: "Change a provider of sign-in", params }, async (c, entered, { id }) => {
    const provider = await load(c, id);
    if (provider.managed_by === "environment") throw conflict("the setting OIDC_PROVIDERS has this provider");
    const sent = await submitForm(c, formOf(provider), entered, {
      method: "PATCH",
      path: `${API}/${id}`,
      toBody: withRoles,
    });
    return sent.ok
      ? redirectWithNotice(LIST, words("dashboard-installation").saved({ kept: sent.kept }))
      : sent.response;
  }),

  ...confirmedDeletion({ path: `${LIST}/{id}/delete`, summary: "Delete a provider of sign-in", params }, deletionOf),
];

type Shown = z.infer<typeof Provider>;

const ROLE_LINE = /^(?<group>.+?)\s*=\s*(?<page>[^=:]+?)\s*:\s*(?<role>\w+)$/;
const lineOf = ({ group, page, role }: Shown["group_roles"][number]) => `${group} = ${page} : ${role}`;

/** A line of another form stays text, which the API refuses. */
function withRoles({ group_roles, ...body }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(group_roles)) return body;
  return { ...body, group_roles: group_roles.map((line) => ROLE_LINE.exec(String(line))?.groups ?? line) };
}

async function load(c: AppContext, id: string): Promise<Shown> {
  return presentProvider(c.var.ctx, await getShownProvider(c.var.ctx, id));
}

function formOf(provider: Shown): EditForm {
  const fields = [{ ...nameField(), required: true }, ...termFields(), enabledField()];
  return {
    title: provider.name,
    section: "account",
    trail: inTrail(),
    fields,
    action: `${LIST}/${provider.id}`,
    cancel: LIST,
    stored: storedValues(fields, { ...provider, group_roles: provider.group_roles.map(lineOf) }),
    below: (
      <>
        <Addresses provider={provider} />
        <p class="actions">
          <a class="button second" href={`${LIST}/${provider.id}/delete`}>
            {words("dashboard-installation").providers.deletion.button}
          </a>
        </p>
      </>
    ),
  };
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-installation").providers.deletion;
  const { name, managed_by } = await load(c, id);
  if (managed_by === "environment") throw conflict("the setting OIDC_PROVIDERS has this provider");
  return {
    kind: text.kind,
    name,
    section: "account",
    trail: inTrail(),
    list: LIST,
    path: `${LIST}/${id}`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}

function showConfigured(c: AppContext, provider: Shown): Promise<Response> {
  const text = words("dashboard-installation").providers;
  const { name, issuer, client_id, account_domains, required_domains } = provider;
  const rows = [
    [text.fields.issuer.label, issuer],
    [text.fields.client_id.label, client_id],
    [text.fields.account_domains.label, account_domains.join(", ")],
    [text.fields.required_domains.label, required_domains.join(", ")],
  ];
  return showView(c, {
    title: name,
    section: "account",
    trail: inTrail(),
    isNarrow: true,
    children: (
      <>
        <section class="card" aria-label={text.configured.title}>
          <p class="quiet">{text.configured.lead.parts({ setting: <code>OIDC_PROVIDERS</code> })}</p>
          <dl class="facts">
            {rows.map(([term, value]) => (
              <div>
                <dt>{term}</dt>
                <dd dir="auto">{value || "–"}</dd>
              </div>
            ))}
          </dl>
        </section>
        <Addresses provider={provider} />
      </>
    ),
  });
}

function Addresses({ provider: { redirect_uri, signed_out_uri, back_channel_logout_uri, kind } }: { provider: Shown }) {
  const text = words("dashboard-installation").providers.addresses;
  return (
    <section class="card" aria-labelledby="addresses">
      <h2 id="addresses">{text.title}</h2>
      <CopyText label={text.redirect} text={redirect_uri} />
      {kind === "oidc" ? <CopyText label={text.signed_out} text={signed_out_uri} /> : null}
      {kind === "oidc" ? <CopyText label={text.back_channel} text={back_channel_logout_uri} /> : null}
    </section>
  );
}

function ProviderTable({ providers }: { providers: readonly Shown[] }) {
  const text = words("dashboard-installation").providers;
  const { head, states } = text;
  return (
    <Table caption={text.title} head={[head.provider, text.fields.issuer.label, head.state, ACTIONS]} isStacked>
      {providers.map(({ id, name, issuer, is_enabled, managed_by }) => (
        <tr>
          <th scope="row" dir="auto">
            {name}
          </th>
          <td dir="ltr">{issuer}</td>
          <td>{managed_by === "environment" ? states.configured : is_enabled ? states.enabled : states.disabled}</td>
          <td>
            <a class="button second" href={`${LIST}/${id}`}>
              {managed_by === "environment" ? text.show : text.edit}
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}
