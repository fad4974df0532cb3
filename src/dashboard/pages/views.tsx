import type { z } from "zod";
import type { CustomDomain } from "../../contract/custom-domain.ts";
import type { StatusPage } from "../../contract/status-page.ts";
import type { Subscriber } from "../../contract/subscriber.ts";
import { Fields, FormProblem } from "../components/fields.tsx";
import { ACTIONS, CopyText, EmptyState, ListPages, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import { DOMAIN_FIELDS, NOTIFY_FIELDS, PAGE_FIELDS, PASSWORD_FIELDS } from "./form.ts";
import type { Service } from "./services.tsx";

export type Page = z.output<typeof StatusPage>;

export function pageListView({ pages }: { pages: readonly PageChoice[] }): View {
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
        <ul class="rows card">
          {pages.map((page) => (
            <li>
              <div class="row">
                <a href={`/app/pages/${page.id}`} dir="auto">
                  {page.name}
                </a>
                <a class="small" href={page.url} aria-label={`Open ${page.name}`}>
                  Open
                </a>
              </div>
              <p class="quiet">
                Your role: {page.membership.role} {page.is_public ? null : <span class="tag">Private</span>}
              </p>
            </li>
          ))}
        </ul>
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
}

export function pageTabView({ page, tab, children, problems = {}, status, headers }: TabView): View {
  const name = TABS.find(([path]) => path === tab)?.[1] ?? "";
  const path = `/app/pages/${page.id}`;
  return {
    title: tab === "" ? page.name : `${name} of ${page.name}`,
    section: "pages",
    trail: [{ href: "/app/pages", text: "Status pages" }, ...(tab === "" ? [] : [{ href: path, text: page.name }])],
    hasProblem: Object.keys(problems).length > 0,
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
}

export function FormCard({ title, action, fields, values, problems, submit = "Save" }: FormCardProps) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <form method="post" action={action}>
        <FormProblem problems={problems} />
        <div class="fields">
          <Fields fields={fields} values={values} problems={problems} />
        </div>
        <p class="actions">
          <button type="submit">{submit}</button>
        </p>
      </form>
    </section>
  );
}

export interface Forms {
  values: FormValues;
  problems: Problems;
}

export function Settings({ page, values, problems }: Forms & { page: Page }) {
  const path = `/app/pages/${page.id}`;
  return (
    <>
      <FormCard title="Settings" action={path} fields={PAGE_FIELDS} values={values} problems={problems} />
      <FormCard
        title={page.has_password ? "Protected by a password" : "Protect by a password"}
        action={`${path}/password`}
        fields={PASSWORD_FIELDS}
        values={{}}
        problems={{}}
      />
      <section class="card" aria-label="Delete">
        <h2>Delete this page</h2>
        <p class="quiet">Its incidents, maintenance, subscribers and members go with it. Its monitors stay.</p>
        <p class="actions">
          <a class="button danger" href={`${path}/delete`}>
            Delete
          </a>
        </p>
      </section>
    </>
  );
}

export function Notifications({ page, values, problems }: Forms & { page: Page }) {
  return (
    <FormCard
      title="Team"
      action={`/app/pages/${page.id}/notifications`}
      fields={NOTIFY_FIELDS}
      values={values}
      problems={problems}
    />
  );
}

export function Domain({ page, domain, values, problems }: Forms & { page: Page; domain: CustomDomain }) {
  const words = { none: "None", pending: "Waiting for its DNS records", active: "Active", error: "Error" };
  return (
    <>
      <FormCard
        title="Custom domain"
        action={`/app/pages/${page.id}/domain`}
        fields={DOMAIN_FIELDS}
        values={values}
        problems={problems}
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

interface SubscribersProps {
  page: Page;
  subscribers: readonly z.output<typeof Subscriber>[];
  total: number;
  limit: number;
  offset: number;
  now: number;
}

export function Subscribers({ page, subscribers, total, limit, offset, now }: SubscribersProps) {
  const path = `/app/pages/${page.id}/subscribers`;
  if (total === 0) {
    return (
      <EmptyState title="No subscribers yet">
        Readers subscribe on the page itself, by mail or to a webhook, and confirm it.
      </EmptyState>
    );
  }
  return (
    <>
      <Table caption="Subscribers" head={["Address", "Channel", "State", ACTIONS]}>
        {subscribers.map((subscriber) => (
          <tr>
            <th scope="row" dir="auto">
              {subscriber.endpoint_masked}
            </th>
            <td>{subscriber.channel}</td>
            <td>
              {subscriber.unsubscribed_at !== null ? (
                "Unsubscribed"
              ) : subscriber.confirmed_at === null ? (
                "Not confirmed"
              ) : (
                <>
                  Since <Time at={Date.parse(subscriber.confirmed_at)} now={now} />
                </>
              )}
            </td>
            <td>
              <PostButton action={`${path}/delete`} label="Remove" fields={{ id: subscriber.id }} kind="danger" />
            </td>
          </tr>
        ))}
      </Table>
      <ListPages total={total} limit={limit} offset={offset} href={(from) => `${path}?offset=${from}`} />
    </>
  );
}

export function Embed({ page, origin, services }: { page: Page; origin: string; services: readonly Service[] }) {
  const [first] = services;
  const frame = `<iframe src="${origin}/embed/${page.slug}" title="Status" width="320" height="60" style="border:0"></iframe>`;
  return (
    <section class="card" aria-label="Embed">
      <p class="quiet">Lines to copy into your own pages. They show no more than the public page does.</p>
      <CopyText label="Status in a frame" text={frame} />
      <CopyText label="Feed" text={`${page.url}/feed.atom`} />
      <CopyText label="State as JSON" text={`${page.url}/summary.json`} />
      {first ? (
        <>
          <CopyText
            label={`Badge of ${first.name}`}
            text={`[![Status](${origin}/badge/${first.id}/status.svg)](${page.url})`}
          />
          <CopyText label="Uptime badge" text={`![Uptime](${origin}/badge/${first.id}/uptime.svg)`} />
        </>
      ) : null}
    </section>
  );
}
