import type { z } from "zod";
import type { CustomDomain } from "../../contract/custom-domain.ts";
import type { StatusPage } from "../../contract/status-page.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { Fields, FormProblem } from "../components/fields.tsx";
import { PreviewButton, WithPreview } from "../components/live-preview.tsx";
import { ACTIONS, EmptyState, ListPages, type ListPlace, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { draftKey } from "../composer.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import { addressWith } from "../lists.ts";
import { MADE_FROM } from "../merge.ts";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import { ROLE_NAMES } from "../team/views.tsx";
import { DOMAIN_FIELDS, NOTIFY_FIELDS, PAGE_FIELDS, PASSWORD_FIELDS } from "./form.ts";

export type Page = z.output<typeof StatusPage>;

export function pageListView({ shown: pages, place }: { shown: readonly PageChoice[]; place: ListPlace }): View {
  return {
    title: "Status pages",
    section: "pages",
    actions: (
      <a class="button" href="/app/pages/new">
        New status page
      </a>
    ),
    children:
      pages.length === 0 ? (
        <EmptyState title="No status pages yet">
          A status page shows your readers what works, what does not, and what you do about it.
        </EmptyState>
      ) : (
        <>
          <Table caption="Status pages" head={["Page", "Address", "Your role", ACTIONS]} isStacked>
            {pages.map((page) => (
              <tr>
                <th scope="row">
                  <a href={`/app/pages/${page.id}`} dir="auto">
                    {page.name}
                  </a>{" "}
                  {page.is_public ? null : <span class="tag">Private</span>}
                </th>
                <td class="wide quiet" dir="ltr">
                  {page.url.replace(/^https?:\/\//, "")}
                </td>
                <td>{ROLE_NAMES[page.membership.role]}</td>
                <td>
                  <div class="actions">
                    <a class="button second" href={page.url} aria-label={`Open ${page.name}`}>
                      Open
                      <LineIcon of="arrow-up-right" />
                    </a>
                  </div>
                </td>
              </tr>
            ))}
          </Table>
          <ListPages {...place} href={(offset) => addressWith("/app/pages", { offset })} />
        </>
      ),
  };
}

/** The views about one page, each with its own address. */
const TABS = [
  ["", "Settings"],
  ["/services", "Services"],
  ["/notifications", "Notifications"],
  ["/domain", "Domain"],
  ["/subscribers", "Subscribers"],
  ["/chats", "Chats"],
  ["/embed", "Embed"],
  ["/reports", "Reports"],
] as const;
export type PageTab = (typeof TABS)[number][0];

interface TabView {
  page: Page;
  tab: PageTab;
  children: View["children"];
  problems?: Problems;
  status?: number;
  headers?: Record<string, string>;
  hasFrame?: boolean;
}

export function pageTabView(view: TabView): View {
  const { page, tab, children, problems = {}, status, headers, hasFrame = false } = view;
  const name = TABS.find(([path]) => path === tab)?.[1] ?? "";
  const path = `/app/pages/${page.id}`;
  return {
    title: tab === "" ? page.name : `${name} of ${page.name}`,
    section: "pages",
    trail: [{ href: "/app/pages", text: "Status pages" }, ...(tab === "" ? [] : [{ href: path, text: page.name }])],
    hasProblem: Object.keys(problems).length > 0,
    hasFrame,
    isLive: tab === "/services",
    isMeasured: true,
    ...(status === undefined ? {} : { address: path + tab }),
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    actions: (
      <a class="button second" href={page.url}>
        Open the page
      </a>
    ),
    children: (
      <>
        <Tabs
          label="About this page"
          tabs={TABS.map(([suffix, text]) => ({ href: path + suffix, text, isOpen: suffix === tab }))}
        />
        {children}
      </>
    ),
  };
}

interface FormCardProps {
  title: string;
  action: string;
  fields: readonly FormField[];
  values: FormValues;
  problems: Problems;
  submit?: string;
  /** Where the fields are sent to be looked at. */
  preview?: string;
  /** What the fields were made from, so that what others change meanwhile is neither lost nor overwritten unseen. */
  seen?: string | undefined;
  /** Under which the script keeps what is typed, and whether that is shown again. */
  draft?: string;
  isTyped?: boolean;
  /** Without the right to save, the fields are there to be read. */
  may_change?: boolean;
}

export function FormCard({
  title,
  action,
  fields,
  values,
  problems,
  submit = "Save",
  preview,
  seen,
  draft,
  isTyped = false,
  may_change = true,
}: FormCardProps) {
  if (!may_change) return <ReadOnly title={title} fields={fields} values={values} />;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <form method="post" action={action} data-draft={draft} data-typed={isTyped ? "" : undefined}>
        {seen === undefined ? null : <input type="hidden" name={MADE_FROM} value={seen} />}
        <FormProblem problems={problems} />
        <div class="fields">
          <Fields fields={fields} values={values} problems={problems} />
        </div>
        <p class="actions">
          <button type="submit">{submit}</button>
          {preview === undefined ? null : <PreviewButton address={preview} />}
        </p>
      </form>
    </section>
  );
}

function ReadOnly({ title, fields, values }: Pick<FormCardProps, "title" | "fields" | "values">) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">Your role may read this and not change it.</p>
      <fieldset disabled class="fields">
        <Fields fields={fields} values={values} problems={{}} />
      </fieldset>
    </section>
  );
}

export interface Forms {
  values: FormValues;
  problems: Problems;
  /** What the form was made from, when it is shown again. */
  seen?: string | undefined;
}

interface MayChange {
  may_change: boolean;
}

/** To whom the page is offered, until they accept or decline it or the owner withdraws it. */
interface Offer {
  name: string | null;
  email: string;
  expires_at: number;
}

interface SettingsProps extends Forms, MayChange {
  page: Page;
  password: Forms;
  /** Who writes: drafts are theirs alone. */
  writer: string;
  isTyped: boolean;
  offer: Offer | undefined;
  may_transfer: boolean;
  may_delete: boolean;
}

export function Settings(props: SettingsProps) {
  const { page, password, values, problems, seen, writer, isTyped, offer, may_change, may_transfer, may_delete } =
    props;
  const path = `/app/pages/${page.id}`;
  const draft = draftKey(path, writer);
  const card = { title: "Settings", action: path, fields: PAGE_FIELDS, values, problems, seen, draft, isTyped };
  if (!may_change) return <FormCard {...card} may_change={false} />;
  const preview = `${path}/preview`;
  return (
    <WithPreview address={preview}>
      <FormCard {...card} preview={preview} />
      <Password page={page} path={path} form={password} />
      <section class="card row" aria-label="Imprint and privacy">
        <p>
          Imprint and privacy{" "}
          <span class="quiet">in the footer: {page.imprint_url || page.privacy_url ? "set" : "none"}</span>
        </p>
        <a class="button second" href={`${path}/legal`}>
          Change the links
        </a>
      </section>
      {may_transfer ? <Transfer path={path} offer={offer} /> : null}
      {may_delete ? <Deletion path={path} /> : null}
    </WithPreview>
  );
}

function Password({ page, path, form }: { page: Page; path: string; form: Forms }) {
  return (
    <FormCard
      title={page.has_password ? "Protected by a password" : "Protect by a password"}
      action={`${path}/password`}
      fields={PASSWORD_FIELDS}
      {...form}
    />
  );
}

function Transfer({ path, offer }: { path: string; offer: Offer | undefined }) {
  return (
    <section class="card" aria-label="Hand over">
      <h2>Transfer ownership of this page</h2>
      {offer === undefined ? null : (
        <p>
          Offered to <strong dir="auto">{offer.name ? `${offer.name} (${offer.email})` : offer.email}</strong>, who may
          accept until <ExactTime at={offer.expires_at} />. A new offer ends this one.
        </p>
      )}
      <p class="quiet">It goes to the account of a member, with its monitors. You stay as an admin.</p>
      <p class="actions">
        <a class="button second" href={`${path}/transfer`}>
          Hand over
        </a>
        {offer === undefined ? null : <PostButton action={`${path}/transfer/withdraw`} label="Withdraw the offer" />}
      </p>
    </section>
  );
}

function Deletion({ path }: { path: string }) {
  return (
    <section class="card" aria-label="Delete">
      <h2>Delete this page</h2>
      <p class="quiet">Its incidents, maintenance, subscribers and members go with it. Its monitors stay.</p>
      <p class="actions">
        <a class="button danger" href={`${path}/delete`}>
          Delete
        </a>
      </p>
    </section>
  );
}

export function Notifications({ page, values, problems, seen, may_change }: Forms & MayChange & { page: Page }) {
  return (
    <FormCard
      title="Team"
      action={`/app/pages/${page.id}/notifications`}
      fields={NOTIFY_FIELDS}
      values={values}
      problems={problems}
      seen={seen}
      may_change={may_change}
    />
  );
}

export function Domain(props: Forms & MayChange & { page: Page; domain: CustomDomain }) {
  const { page, domain, values, problems, seen, may_change } = props;
  const words = { none: "None", pending: "Waiting for its DNS records", active: "Active", error: "Error" };
  return (
    <>
      <FormCard
        title="Custom domain"
        action={`/app/pages/${page.id}/domain`}
        fields={DOMAIN_FIELDS}
        values={values}
        problems={problems}
        seen={seen}
        may_change={may_change}
      />
      {domain.custom_domain === null ? null : (
        <section class="card" aria-label="State">
          <h2>{words[domain.status]}</h2>
          {domain.error === null ? null : <p class="problem">{domain.error}</p>}
          <p class="quiet">
            Create these records at the provider of your domain. They are looked up every few minutes.
          </p>
          <Table caption="DNS records" head={["Type", "Name", "Value"]}>
            {domain.records.map(({ type, name, value }) => (
              <tr>
                <td>{type}</td>
                <td>
                  <code>{name}</code>
                </td>
                <td>
                  <code>{value}</code>
                </td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}
