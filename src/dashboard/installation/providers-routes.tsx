import { z } from "zod";
import { conflict } from "../../contract/errors.ts";
import { PROVIDER_KINDS, Provider, type ProviderKind } from "../../contract/sign-in.ts";
import { presentProvider } from "../../features/sign-in-providers/present.ts";
import { getShownProvider, listAllProviders } from "../../features/sign-in-providers/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { ACTIONS, CopyText, EmptyState, Table } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const LIST = "/app/installation/sign-in";
const NEW = `${LIST}/new`;
const API = "/api/core/v1/sign-in-providers";
const params = z.object({ id: z.string() });
const trail = [
  { href: "/app/account", text: "Account" },
  { href: "/app/installation", text: "Installation" },
];
const inTrail = [...trail, { href: LIST, text: "Sign-in providers" }];

const KIND_WORDS: Record<ProviderKind, string> = {
  oidc: "OpenID Connect, by discovery",
  google: "Google",
  github: "GitHub",
};

const IDENTITY: readonly FormField[] = [
  {
    kind: "select",
    name: "kind",
    label: "Kind",
    options: PROVIDER_KINDS.map((value) => ({ value, label: KIND_WORDS[value] })),
  },
  {
    kind: "text",
    name: "id",
    label: "Id",
    required: true,
    placeholder: "works",
    hint: "Lower-case letters, digits, hyphens. It is part of the redirect address and stays.",
  },
  {
    kind: "url",
    name: "issuer",
    label: "Issuer",
    placeholder: "https://id.works.example",
    hint: "Exactly as the provider states it. Google and GitHub need none. It is asked before anything is saved.",
  },
];

const NAME: FormField = { kind: "text", name: "name", label: "Name on the button", placeholder: "Works" };

const TERMS: readonly FormField[] = [
  { kind: "text", name: "client_id", label: "Client id", required: true },
  {
    kind: "password",
    name: "client_secret",
    label: "Client secret",
    hint: "Stored encrypted, and not shown again.",
  },
  {
    kind: "list",
    name: "account_domains",
    label: "Accounts for domains",
    hint: "People with verified addresses of these domains get an account at their first sign-in, e.g. works.example.",
  },
  {
    kind: "list",
    name: "required_domains",
    label: "Required for domains",
    hint: "People with addresses of these domains sign in by this provider alone; a password is refused.",
  },
  {
    kind: "list",
    name: "break_glass",
    label: "Way in when it is away",
    hint: "Addresses of required domains that may use their password all the same.",
  },
  {
    kind: "text",
    name: "groups_claim",
    label: "Claim of groups",
    hint: "Applied at each sign-in. What a group gave is taken away when the claim does not name it any more.",
    placeholder: "groups",
    advanced: true,
  },
  {
    kind: "lines",
    name: "group_roles",
    label: "Roles of groups",
    hint: "One a line: group = slug of a status page : viewer, editor or admin. Only for pages whose team you manage.",
    advanced: true,
  },
  {
    kind: "checkbox",
    name: "refreshes_sessions",
    label: "Ask it again while people are signed in",
    hint: "Every 15 minutes of use, by a refresh token that is stored encrypted. A session ends when the provider says so.",
    advanced: true,
  },
  {
    kind: "text",
    name: "active_claim",
    label: "Claim of who is active",
    hint: "Of a person of whom it is false the account is deactivated.",
    placeholder: "active",
    advanced: true,
  },
  {
    kind: "checkbox",
    name: "trusts_addresses",
    label: "Trust its addresses",
    hint: "They count as verified although it does not say so. Only for a directory in which nobody chooses their address.",
    advanced: true,
  },
];

const ENABLED: FormField = {
  kind: "checkbox",
  name: "is_enabled",
  label: "Enabled",
  hint: "Without it nobody signs in by it, and the sessions that began by it end.",
};

const NEW_FORM: ObjectForm = {
  title: "Add sign-in provider",
  section: "account",
  trail: inTrail,
  fields: [...IDENTITY, NAME, ...TERMS],
  submit: "Test and add",
  action: NEW,
  cancel: LIST,
};

export const endpoints = [
  view({ path: LIST, summary: "Providers of sign-in in the dashboard, for operators" }, async (c) => {
    const { ctx } = c.var;
    const providers = (await listAllProviders(ctx)).map((each) => presentProvider(ctx, each));
    const add = (
      <a class="button" href={NEW}>
        Add sign-in provider
      </a>
    );
    return showView(c, {
      title: "Sign-in providers",
      section: "account",
      trail,
      actions: providers.length === 0 ? undefined : add,
      children:
        providers.length === 0 ? (
          <EmptyState title="No sign-in provider yet" action={add}>
            Let people sign in with what your company has: any provider of OpenID Connect, Google or GitHub.
          </EmptyState>
        ) : (
          <ProviderTable providers={providers} />
        ),
    });
  }),

  view({ path: NEW, summary: "Form of a new provider of sign-in" }, async (c) => {
    await listAllProviders(c.var.ctx);
    return showForm(c, NEW_FORM, {});
  }),
  action({ path: NEW, summary: "Add a provider of sign-in" }, async (c, entered) => {
    const sent = await submitForm(c, NEW_FORM, entered, { method: "POST", path: API, toBody: withRoles });
    if (!sent.ok) return sent.response;
    const { id, name } = Provider.parse(sent.body);
    return redirectWithNotice(`${LIST}/${id}`, `${name} answers and is added. Register its addresses there.`);
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
    return sent.ok ? redirectWithNotice(LIST, `Saved.${sent.kept}`) : sent.response;
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
  const fields = [{ ...NAME, required: true }, ...TERMS, ENABLED];
  return {
    title: provider.name,
    section: "account",
    trail: inTrail,
    fields,
    action: `${LIST}/${provider.id}`,
    cancel: LIST,
    stored: storedValues(fields, { ...provider, group_roles: provider.group_roles.map(lineOf) }),
    below: (
      <>
        <Addresses provider={provider} />
        <p class="actions">
          <a class="button second" href={`${LIST}/${provider.id}/delete`}>
            Delete provider
          </a>
        </p>
      </>
    ),
  };
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const { name, managed_by } = await load(c, id);
  if (managed_by === "environment") throw conflict("the setting OIDC_PROVIDERS has this provider");
  return {
    kind: "sign-in provider",
    name,
    section: "account",
    trail: inTrail,
    list: LIST,
    path: `${LIST}/${id}`,
    api: `${API}/${id}`,
    lost: "Nobody signs in by it any more, and the sessions that began by it end. Accounts stay; those without a password need a sign-in link of yours.",
  };
}

function showConfigured(c: AppContext, provider: Shown): Promise<Response> {
  const { name, issuer, client_id, account_domains, required_domains } = provider;
  const rows = [
    ["Issuer", issuer],
    ["Client id", client_id],
    ["Accounts for domains", account_domains.join(", ")],
    ["Required for domains", required_domains.join(", ")],
  ];
  return showView(c, {
    title: name,
    section: "account",
    trail: inTrail,
    isNarrow: true,
    children: (
      <>
        <section class="card" aria-label="As the setting has it">
          <p class="quiet">
            The setting <code>OIDC_PROVIDERS</code> has this provider; it is changed there.
          </p>
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
  return (
    <section class="card" aria-labelledby="addresses">
      <h2 id="addresses">To register at the provider</h2>
      <CopyText label="Redirect address" text={redirect_uri} />
      {kind === "oidc" ? <CopyText label="Address after signing out" text={signed_out_uri} /> : null}
      {kind === "oidc" ? <CopyText label="Back-channel logout address" text={back_channel_logout_uri} /> : null}
    </section>
  );
}

function ProviderTable({ providers }: { providers: readonly Shown[] }) {
  return (
    <Table caption="Sign-in providers" head={["Provider", "Issuer", "State", ACTIONS]} isStacked>
      {providers.map(({ id, name, issuer, is_enabled, managed_by }) => (
        <tr>
          <th scope="row" dir="auto">
            {name}
          </th>
          <td dir="ltr">{issuer}</td>
          <td>{managed_by === "environment" ? "By the setting" : is_enabled ? "Enabled" : "Disabled"}</td>
          <td>
            <a class="button second" href={`${LIST}/${id}`}>
              {managed_by === "environment" ? "Show" : "Edit"}
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}
