import { z } from "zod";
import { ApiError, invalid } from "../../contract/errors.ts";
import {
  ALERT_SOURCES,
  type AlertSource,
  type PreviewedAlert,
  previewAlert,
} from "../../features/incoming-alerts/preview.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { invalidInput } from "../../http/errors.ts";
import { CopyText, Table, Tabs } from "../components/pieces.tsx";
import { type FormField, type FormValues, type Problems, typedValues } from "../form-fields.ts";
import { type ObjectForm, showForm } from "../object-form.tsx";
import { action, view } from "../view.ts";
import { words } from "../words.ts";
import { EXAMPLES, POINTERS } from "./incoming-examples.ts";
import { loadPage, params } from "./tab.tsx";

/** How other tools report alerts to a page, and what one of them would do. */

const PATH = "/app/pages/{id}/incoming-alerts";
const shared = { params, ids: { params: { id: "page" } }, permission: "incidents.write" } as const;
const SourceQuery = z.object({ source: z.enum(ALERT_SOURCES).catch("alertmanager") });
const BODY = "body";

export const endpoints = [
  view({ path: PATH, summary: "How other tools report alerts to a page", ...shared, query: SourceQuery }, (c, p) =>
    showSource(c, { id: p.params.id, source: p.query.source }),
  ),

  action({ path: PATH, summary: "What an alert of another tool would do", ...shared }, async (c, entered, { id }) => {
    const { source } = SourceQuery.parse(Object.fromEntries(entered));
    const fields = listFields(source);
    const values = typedValues(fields, entered);
    const mapping = Object.fromEntries([...entered].filter(([name, value]) => name !== BODY && value.trim() !== ""));
    try {
      const body: unknown = parseText(entered.get(BODY) ?? "");
      const result = await previewAlert(c.var.ctx, id, { source, body, mapping });
      return await showSource(c, { id, source, values, result });
    } catch (error) {
      const refusal = error instanceof z.ZodError ? invalidInput(error) : error;
      if (!(refusal instanceof ApiError) || refusal.status !== 400) throw error;
      return showSource(c, { id, source, values, problems: { [BODY]: sentenceOf(refusal.message) } });
    }
  }),
];

const sentenceOf = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(words("dashboard-pages").incoming.no_json);
  }
}

function listFields(source: AlertSource): FormField[] {
  const text = words("dashboard-pages").incoming;
  const body: FormField = { kind: "textarea", name: BODY, label: text.body, hint: text.body_hint };
  if (source !== "other") return [body];
  const pointers = text.pointers;
  return [
    { kind: "text", name: "key", label: pointers.key, hint: pointers.hint, required: true },
    { kind: "text", name: "title", label: pointers.title },
    { kind: "text", name: "message", label: pointers.message },
    { kind: "text", name: "severity", label: pointers.severity },
    { kind: "text", name: "status", label: pointers.status },
    { kind: "text", name: "over", label: pointers.over, placeholder: "resolved,ok,recovered,closed" },
    body,
  ];
}

interface Shown {
  id: string;
  source: AlertSource;
  values?: FormValues;
  problems?: Problems;
  result?: PreviewedAlert;
}

async function showSource(c: AppContext, { id, source, values, problems, result }: Shown): Promise<Response> {
  const text = words("dashboard-pages").incoming;
  const page = await loadPage(c, id);
  const shownValues = values ?? { [BODY]: EXAMPLES[source], ...(source === "other" ? POINTERS : {}) };
  const path = `/app/pages/${id}/incoming-alerts`;
  const form: ObjectForm = {
    title: text.title,
    section: "pages",
    trail: [{ href: `/app/pages/${id}`, text: page.name }],
    fields: listFields(source),
    action: path,
    submit: text.try,
    cancel: `/app/pages/${id}`,
    above: (
      <Setup path={path} source={source} address={addressOf(c.var.publicUrl, { id, source, values: shownValues })} />
    ),
  };
  return showForm(c, form, shownValues, {
    ...(problems ? { problems, status: 400 } : {}),
    result: (
      <>
        <input type="hidden" name="source" value={source} />
        <h2>{text.trial}</h2>
        {result === undefined ? <p class="quiet">{text.trial_lead}</p> : <Result {...result} />}
      </>
    ),
  });
}

interface Named {
  id: string;
  source: AlertSource;
  values: FormValues;
}

function addressOf(publicUrl: string, { id, source, values }: Named): string {
  if (source === "sentry") return `${publicUrl}/integrations/sentry/${id}?secret=SENTRY_CLIENT_SECRET`;
  const alerts = `${publicUrl}/api/uptime/v1/status-pages/${id}/alerts`;
  if (source === "script") return alerts;
  if (source !== "other") return `${alerts}/alertmanager`;
  const given = Object.keys(POINTERS).flatMap((name) => {
    const value = values[name];
    return typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [];
  });
  return `${alerts}/mapped?${new URLSearchParams(given).toString().replaceAll("%2F", "/")}`;
}

function Setup({ path, source, address }: { path: string; source: AlertSource; address: string }) {
  const text = words("dashboard-pages").incoming;
  const token = <a href="/app/account/tokens">{text.token}</a>;
  const secret = <a href="/app/account/secrets">{text.secret}</a>;
  const { becomes } = text;
  return (
    <>
      <Tabs
        label={text.tool}
        tabs={ALERT_SOURCES.map((each) => ({
          href: `${path}?source=${each}`,
          text: text.sources[each],
          isOpen: each === source,
        }))}
      />
      <section class="card" aria-labelledby="setup">
        <h2 id="setup">{text.setup_title}</h2>
        <p>{source === "sentry" ? text.setup.sentry.parts({ secret }) : text.setup[source].parts({ token })}</p>
        <CopyText label={text.address} text={address} />
        <Table caption={becomes.caption} head={[becomes.incident, becomes.read]} isStacked>
          {(["key", "title", "severity", "end"] as const).map((part) => (
            <tr>
              <th scope="row">{becomes.parts[part]}</th>
              <td>{becomes[source][part]}</td>
            </tr>
          ))}
        </Table>
      </section>
    </>
  );
}

function Result({ effect, alert, incident_id }: PreviewedAlert) {
  const text = words("dashboard-pages").incoming;
  return (
    <div class="banner" role="status">
      <p>
        {text.effects[effect]}{" "}
        {incident_id === null ? null : <a href={`/app/incidents/${incident_id}`}>{text.see_incident}</a>}
      </p>
      {alert === null || effect === "nothing" ? null : (
        <Table caption={text.trial} head={[text.becomes.incident, text.becomes.read]} isStacked>
          <tr>
            <th scope="row">{text.becomes.parts.title}</th>
            <td dir="auto">{alert.title}</td>
          </tr>
          <tr>
            <th scope="row">{text.becomes.parts.severity}</th>
            <td>{text.severities[alert.severity]}</td>
          </tr>
          <tr>
            <th scope="row">{text.becomes.parts.key}</th>
            <td dir="auto">
              <code>{alert.key}</code>
            </td>
          </tr>
        </Table>
      )}
    </div>
  );
}
