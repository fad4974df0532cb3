import type { Incident, IncidentUpdate } from "../../contract/incident.ts";
import { createMarkdownReader, parseMarkdown } from "../../ui/markdown.ts";
import { LabelledMarkdown, Markdown } from "../../ui/markdown-view.tsx";
import { Fields, FormProblem } from "../components/fields.tsx";
import { EmptyState, ListPages, PostButton, Tabs } from "../components/pieces.tsx";
import { Preview } from "../components/preview.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import type { FormValues, Option, Problems } from "../form-fields.ts";
import type { View } from "../shell.tsx";
import { EditUpdate, TimelinePages, type TimelinePart } from "../timeline-updates.tsx";
import { QUICK_UPDATES, UPDATE_FIELDS, wordOf } from "./form.ts";

interface ListView {
  now: number;
  incidents: readonly Incident[];
  total: number;
  limit: number;
  offset: number;
  is_open: boolean;
  may_open: boolean;
  /** Incidents are reported on a status page. */
  has_pages: boolean;
}

export function incidentListView({
  now,
  incidents,
  total,
  limit,
  offset,
  is_open,
  may_open,
  has_pages,
}: ListView): View {
  const href = (from: number) => `/app/incidents?${is_open ? "" : "show=all&"}offset=${from}`;
  return {
    title: "Incidents",
    section: "incidents",
    isLive: true,
    actions: may_open ? (
      <a class="button" href="/app/incidents/new">
        New incident
      </a>
    ) : undefined,
    children: (
      <>
        {incidentTabs(is_open ? "open" : "all")}
        <div id="incidents" data-live>
          {incidents.length === 0 ? (
            <EmptyState
              title={is_open ? "No open incidents" : "No incidents yet"}
              action={has_pages ? undefined : <a href="/app/pages/new">Make a status page first</a>}
            >
              An incident tells the readers of a status page what is broken and what you do about it.
            </EmptyState>
          ) : (
            <ul class="rows card">
              {incidents.map((incident) => (
                <li>
                  <div class="row">
                    <a href={`/app/incidents/${incident.id}`} dir="auto">
                      {incident.title}
                    </a>
                    <span>
                      <Tags incident={incident} />
                    </span>
                  </div>
                  <p class="quiet">
                    {wordOf(incident.status)}, began <Time at={Date.parse(incident.started_at)} now={now} />
                    {incident.acknowledged_at === null || incident.resolved_at !== null ? null : ", acknowledged"}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </div>
        <ListPages total={total} limit={limit} offset={offset} href={href} />
      </>
    ),
  };
}

export function incidentTabs(open: "open" | "all" | "templates") {
  return (
    <Tabs
      label="Incidents"
      tabs={[
        { href: "/app/incidents", text: "Open", isOpen: open === "open" },
        { href: "/app/incidents?show=all", text: "All", isOpen: open === "all" },
        { href: "/app/incidents/templates", text: "Templates", isOpen: open === "templates" },
      ]}
    />
  );
}

function Tags({ incident }: { incident: Incident }) {
  return (
    <>
      <span class="tag">{wordOf(incident.severity)}</span>{" "}
      {incident.is_public ? null : <span class="tag">Not published</span>}
    </>
  );
}

export interface DetailView {
  now: number;
  incident: Incident;
  timeline: TimelinePart<IncidentUpdate>;
  page: { id: string; name: string; url: string };
  services: readonly Option[];
  assignee: string | null;
  may_change: boolean;
  values: FormValues;
  problems: Problems;
  /** The update as readers will see it. */
  preview: string | null;
  status?: number;
  headers?: Record<string, string>;
}

export function incidentView(view: DetailView): View {
  const { incident, may_change, problems } = view;
  const path = `/app/incidents/${incident.id}`;
  return {
    title: incident.title,
    section: "incidents",
    trail: [{ href: "/app/incidents", text: "Incidents" }],
    isLive: true,
    hasProblem: Object.keys(problems).length > 0,
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.headers === undefined ? {} : { headers: view.headers }),
    actions: may_change ? <Actions incident={incident} path={path} /> : undefined,
    children: (
      <>
        <div id="incident-facts" data-live>
          <Facts view={view} />
        </div>
        {may_change ? <UpdateForm view={view} path={path} /> : null}
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          <div id="incident-timeline" data-live>
            <Timeline view={view} path={path} />
          </div>
          <TimelinePages path={path} place={view.timeline.place} />
        </section>
      </>
    ),
  };
}

const ACKNOWLEDGED = { id: "incident-acknowledged", shown: "Just now" };

function Actions({ incident, path }: { incident: Incident; path: string }) {
  const isOpen = incident.resolved_at === null;
  return (
    <>
      {isOpen && incident.acknowledged_at === null ? (
        <PostButton action={`${path}/acknowledge`} label="Acknowledge" kind="primary" result={ACKNOWLEDGED} />
      ) : null}
      {isOpen ? <PostButton action={`${path}/resolve`} label="Resolve" /> : null}
      {incident.is_public ? (
        <PostButton action={`${path}/unpublish`} label="Unpublish" />
      ) : (
        <PostButton action={`${path}/publish`} label="Publish" />
      )}
      <a class="button second" href={`${path}/edit`}>
        Edit
      </a>
      <a class="button danger" href={`${path}/delete`}>
        Delete
      </a>
    </>
  );
}

function Facts({ view: { incident, page, services, assignee, now } }: { view: DetailView }) {
  const affected = services.filter(({ value }) => incident.monitor_ids.includes(value));
  return (
    <section class="card" aria-label="Facts">
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>{wordOf(incident.status)}</dd>
        </div>
        <div>
          <dt>Severity</dt>
          <dd>{wordOf(incident.severity)}</dd>
        </div>
        <div>
          <dt>Began</dt>
          <dd>
            <Time at={Date.parse(incident.started_at)} now={now} />
          </dd>
        </div>
        {incident.resolved_at === null ? null : (
          <div>
            <dt>Resolved</dt>
            <dd>
              <Time at={Date.parse(incident.resolved_at)} now={now} />
            </dd>
          </div>
        )}
        <div>
          <dt>Acknowledged</dt>
          <dd id={ACKNOWLEDGED.id}>
            {incident.acknowledged_at === null ? "No" : <Time at={Date.parse(incident.acknowledged_at)} now={now} />}
          </dd>
        </div>
        <div>
          <dt>Status page</dt>
          <dd>
            {incident.is_public ? (
              <a href={`${page.url}/incidents/${incident.id}`} dir="auto">
                {page.name}
              </a>
            ) : (
              <>
                <span dir="auto">{page.name}</span>, not published
              </>
            )}
          </dd>
        </div>
        {assignee === null ? null : (
          <div>
            <dt>Assigned to</dt>
            <dd dir="auto">{assignee}</dd>
          </div>
        )}
      </dl>
      {affected.length === 0 ? null : (
        <p>
          Affected:{" "}
          {affected.map(({ value, label }, n) => (
            <>
              {n === 0 ? null : ", "}
              <a href={`/app/monitors/${value}`} dir="auto">
                {label}
              </a>
            </>
          ))}
        </p>
      )}
      <LabelledMarkdown blocks={parseMarkdown(incident.impact)} label={(text) => <>Impact: {text}</>} />
      {incident.description === null ? null : (
        <div dir="auto">
          <Markdown blocks={parseMarkdown(incident.description)} />
        </div>
      )}
    </section>
  );
}

function UpdateForm({ view, path }: { view: DetailView; path: string }) {
  const { values, problems, preview } = view;
  const isOpen = view.incident.resolved_at === null;
  return (
    <section class="card" aria-labelledby="update">
      <h2 id="update">Post an update</h2>
      {isOpen ? (
        <form method="post" action={`${path}/updates`} class="quick">
          {Object.entries(QUICK_UPDATES).map(([status, message]) => (
            <button type="submit" class="second" name="quick" value={status}>
              {wordOf(status)}: {message}
            </button>
          ))}
          {view.incident.is_public ? (
            <label class="tick">
              <input type="checkbox" name="notify_subscribers" checked /> Also notify subscribers
            </label>
          ) : (
            <p class="quiet">Not published: readers of the page neither see nor receive it.</p>
          )}
        </form>
      ) : (
        <p class="quiet">
          The incident is resolved. <a href={`${path}?draft=postmortem#update`}>Write a postmortem</a>
        </p>
      )}
      <form method="post" action={`${path}/updates`}>
        <FormProblem problems={problems} />
        {preview === null ? null : <Preview text={preview} />}
        <div class="fields">
          <Fields fields={UPDATE_FIELDS} values={values} problems={problems} />
        </div>
        <p class="actions">
          <button type="submit">Post update</button>
          <button type="submit" class="second" name="intent" value="preview" formnovalidate>
            Preview
          </button>
        </p>
      </form>
    </section>
  );
}

function Timeline({ view: { timeline, may_change }, path }: { view: DetailView; path: string }) {
  if (timeline.place.total === 0) return <p class="quiet">No updates yet.</p>;
  const read = createMarkdownReader();
  return (
    <ol class="timeline">
      {timeline.shown.map((update) => (
        <li>
          <p>
            <strong>{wordOf(update.status)}</strong>{" "}
            <span class="quiet">
              <ExactTime at={Date.parse(update.created_at)} />
            </span>{" "}
            {may_change ? <EditUpdate path={path} update={update} /> : null}
          </p>
          <div dir="auto">
            <Markdown blocks={read(update.message)} />
          </div>
        </li>
      ))}
    </ol>
  );
}
