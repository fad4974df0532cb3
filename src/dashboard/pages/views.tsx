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
import { words } from "../words.ts";
import { domainFields, notifyFields, pageFields, passwordFields } from "./form.ts";

export type Page = z.output<typeof StatusPage>;

export function pageListView({ shown: pages, place }: { shown: readonly PageChoice[]; place: ListPlace }): View {
  const { list: text, shared } = words("dashboard-pages");
  return {
    title: shared.pages,
    section: "pages",
    actions: (
      <a class="button" href="/app/pages/new">
        {text.new}
      </a>
    ),
    children:
      pages.length === 0 ? (
        <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState>
      ) : (
        <>
          <Table caption={shared.pages} head={[text.page, text.address, text.role, ACTIONS]} isStacked>
            {pages.map((page) => (
              <tr>
                <th scope="row">
                  <a href={`/app/pages/${page.id}`} dir="auto">
                    {page.name}
                  </a>{" "}
                  {page.is_public ? null : <span class="tag">{text.private}</span>}
                </th>
                <td class="wide quiet" dir="ltr">
                  {page.url.replace(/^https?:\/\//, "")}
                </td>
                <td>{words("dashboard-account").roles[page.membership.role]}</td>
                <td>
                  <div class="actions">
                    <a class="button second" href={page.url} aria-label={text.open_page({ name: page.name })}>
                      {text.open}
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
  ["", "settings"],
  ["/services", "services"],
  ["/notifications", "notifications"],
  ["/domain", "domain"],
  ["/subscribers", "subscribers"],
  ["/chats", "chats"],
  ["/embed", "embed"],
  ["/reports", "reports"],
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
  const { tabs: text, shared } = words("dashboard-pages");
  const [, name] = TABS.find(([path]) => path === tab) ?? TABS[0];
  const path = `/app/pages/${page.id}`;
  return {
    title: tab === "" ? page.name : text.title({ tab: text[name], page: page.name }),
    section: "pages",
    trail: [{ href: "/app/pages", text: shared.pages }, ...(tab === "" ? [] : [{ href: path, text: page.name }])],
    hasProblem: Object.keys(problems).length > 0,
    hasFrame,
    isLive: tab === "/services",
    isMeasured: true,
    ...(status === undefined ? {} : { address: path + tab }),
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    actions: (
      <a class="button second" href={page.url}>
        {text.open}
      </a>
    ),
    children: (
      <>
        <Tabs
          label={text.label}
          tabs={TABS.map(([suffix, each]) => ({ href: path + suffix, text: text[each], isOpen: suffix === tab }))}
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
  submit = words("dashboard-pages").form.save,
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
  const text = words("dashboard-pages").settings;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">{text.read_only}</p>
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
  may_report: boolean;
  may_transfer: boolean;
  may_delete: boolean;
}

export function Settings(props: SettingsProps) {
  const text = words("dashboard-pages").settings;
  const { page, password, values, problems, seen, writer, isTyped, offer, may_change } = props;
  const { may_report, may_transfer, may_delete } = props;
  const path = `/app/pages/${page.id}`;
  const draft = draftKey(path, writer);
  const card = { title: text.title, action: path, fields: pageFields(), values, problems, seen, draft, isTyped };
  const incoming = may_report ? <Incoming path={path} /> : null;
  if (!may_change) {
    return (
      <>
        <FormCard {...card} may_change={false} />
        {incoming}
      </>
    );
  }
  const preview = `${path}/preview`;
  return (
    <WithPreview address={preview}>
      <FormCard {...card} preview={preview} />
      <Password page={page} path={path} form={password} />
      <section class="card row" aria-label={text.legal}>
        <p>
          {text.legal}{" "}
          <span class="quiet">{page.imprint_url || page.privacy_url ? text.legal_set : text.legal_none}</span>
        </p>
        <a class="button second" href={`${path}/legal`}>
          {text.legal_change}
        </a>
      </section>
      {incoming}
      {may_transfer ? <Transfer path={path} offer={offer} /> : null}
      {may_delete ? <Deletion path={path} /> : null}
    </WithPreview>
  );
}

function Incoming({ path }: { path: string }) {
  const text = words("dashboard-pages").incoming;
  return (
    <section class="card row" aria-label={text.row}>
      <p>
        {text.row} <span class="quiet">{text.row_hint}</span>
      </p>
      <a class="button second" href={`${path}/incoming-alerts`}>
        {text.row_link}
      </a>
    </section>
  );
}

function Password({ page, path, form }: { page: Page; path: string; form: Forms }) {
  const text = words("dashboard-pages").settings;
  return (
    <FormCard
      title={page.has_password ? text.protected : text.protect}
      action={`${path}/password`}
      fields={passwordFields()}
      {...form}
    />
  );
}

function Transfer({ path, offer }: { path: string; offer: Offer | undefined }) {
  const text = words("dashboard-pages").settings;
  return (
    <section class="card" aria-label={text.hand_over}>
      <h2>{text.transfer}</h2>
      {offer === undefined ? null : (
        <p>
          {text.offered.parts({
            person: (
              <strong dir="auto">
                {offer.name
                  ? words("dashboard-pages").offer.person({ name: offer.name, email: offer.email })
                  : offer.email}
              </strong>
            ),
            until: <ExactTime at={offer.expires_at} />,
          })}
        </p>
      )}
      <p class="quiet">{text.transfer_hint}</p>
      <p class="actions">
        <a class="button second" href={`${path}/transfer`}>
          {text.hand_over}
        </a>
        {offer === undefined ? null : <PostButton action={`${path}/transfer/withdraw`} label={text.withdraw} />}
      </p>
    </section>
  );
}

function Deletion({ path }: { path: string }) {
  const text = words("dashboard-pages").settings;
  return (
    <section class="card" aria-label={words("dashboard-pages").shared.delete}>
      <h2>{text.deletion}</h2>
      <p class="quiet">{text.deletion_hint}</p>
      <p class="actions">
        <a class="button danger" href={`${path}/delete`}>
          {words("dashboard-pages").shared.delete}
        </a>
      </p>
    </section>
  );
}

export function Notifications({ page, values, problems, seen, may_change }: Forms & MayChange & { page: Page }) {
  return (
    <FormCard
      title={words("dashboard-pages").settings.team}
      action={`/app/pages/${page.id}/notifications`}
      fields={notifyFields()}
      values={values}
      problems={problems}
      seen={seen}
      may_change={may_change}
    />
  );
}

export function Domain(props: Forms & MayChange & { page: Page; domain: CustomDomain }) {
  const { page, domain, values, problems, seen, may_change } = props;
  const text = words("dashboard-pages").domain;
  return (
    <>
      <FormCard
        title={text.title}
        action={`/app/pages/${page.id}/domain`}
        fields={domainFields()}
        values={values}
        problems={problems}
        seen={seen}
        may_change={may_change}
      />
      {domain.custom_domain === null ? null : (
        <section class="card" aria-label={text.state}>
          <h2>{text.states[domain.status]}</h2>
          {domain.error === null ? null : <p class="problem">{domain.error}</p>}
          <p class="quiet">{text.records_hint}</p>
          <Table caption={text.records} head={[text.type, text.name, text.value]}>
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
