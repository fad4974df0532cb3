import { EVENT_NAMES } from "../contract/events.ts";
import { fillTemplate, parseTemplate, TEMPLATE_FIELDS, type TemplateValues } from "../domain/message-template.ts";
import { exampleInputOf } from "./example-input.ts";
import { configText, selectField, textField, urlField } from "./fields.ts";
import {
  type CheckedTarget,
  isHttpUrl,
  NOT_AN_ADDRESS,
  type Notifier,
  type NotifierRequest,
  USER_AGENT,
} from "./port.ts";
import { templateValuesOf } from "./template-values.ts";

/** Any service that takes HTTP: the owner writes the request, with fields of the event in it. */

const METHODS = ["POST", "PUT", "PATCH", "GET", "DELETE"] as const;
const BODY_MAX = 16_384;
const DEFAULT_BODY = `{
  "event": "{{event}}",
  "status": "{{status}}",
  "title": "{{title}}",
  "text": "{{text}}",
  "url": "{{url}}",
  "since": "{{since}}"
}`;
const BODYLESS = ["GET", "DELETE"];

export const template: Notifier = {
  provider: "template",
  label: "Your own template",
  family: "own",
  fields: [
    urlField("The address of the request. After the host it may hold fields, such as ?status={{status}}."),
    selectField("method", "Method", "POST for most services.", METHODS),
    textField("headers", "Headers", "An object of texts by name, such as the credential of the service.", {
      kind: "headers",
      is_secret: true,
      is_required: false,
    }),
    textField(
      "body",
      "Body",
      `Text with fields in double braces: ${TEMPLATE_FIELDS.join(", ")}; and {{#if duration}}…{{else}}…{{/if}}.`,
      { kind: "textarea", is_required: false, default: DEFAULT_BODY, length_max: BODY_MAX },
    ),
  ],
  steps: [
    "Find in the documentation of the service the request that it expects: address, headers and body.",
    "Write it down with fields in double braces where words of the event belong, and save credentials in headers.",
    "Look at the preview for an outage, a recovery and an incident, then send a test.",
  ],
  channel: null,
  notes: [
    `Fields are ${TEMPLATE_FIELDS.map((field) => `\`{{${field}}}\``).join(", ")}. \`since\` is an instant in ISO 8601, \`since_local\` the same in the time zone of the page; \`duration\` says how long it lasted and is empty while it lasts. A field that an event does not have is empty, and \`{{#if field}}…{{else}}…{{/if}}\` asks for that.`,
    "Values are escaped for JSON where the `content-type` is JSON or, without one, the body begins as JSON; for XML and HTML, forms and addresses likewise. When it is saved, a JSON body is filled with an example of every event and has to be JSON each time. The form of the dashboard previews the requests of an outage, a recovery and an incident. An unknown field is refused with 400. Like `generic` it receives every event at once and unbundled. `url` may stand in `config`, too, and is answered there.",
  ],
  hasAddressInConfig: true,
  hasOwnText: true,
  attemptsMax: null,
  isBundled: false,
  validate: findFlaw,
  build: (input, target) => buildRequest(templateValuesOf(input), target),
};

function buildRequest(values: TemplateValues, target: CheckedTarget): NotifierRequest {
  const method = METHODS.find((each) => each === configText(template, target, "method")) ?? "POST";
  const body = configText(template, target, "body");
  const format = formatOf(target, body);
  const own = Object.entries(headersOf(target)).map(([name, text]) => {
    return [name.toLowerCase(), toHeader(fill(text, values, (value) => value))] as const;
  });
  const headers = { "content-type": format.type, "user-agent": USER_AGENT, ...Object.fromEntries(own) };
  return {
    kind: "http",
    method,
    url: fill(target.url, values, encodeURIComponent),
    headers,
    body: BODYLESS.includes(method) ? "" : fill(body, values, format.escape),
    secrets: own.filter(([name]) => name !== "content-type").map(([, value]) => value),
  };
}

/** Templates that are stored were parsed when they were saved. */
function fill(text: string, values: TemplateValues, escapeValue: (value: string) => string): string {
  const parsed = parseTemplate(text);
  if (parsed.kind === "flawed") throw new Error(`the stored template ${parsed.message}`);
  return fillTemplate(parsed.parts, values, escapeValue);
}

const headersOf = ({ config }: CheckedTarget) => (typeof config.headers === "object" ? config.headers : {});

/** Header values are lines of Latin-1; services do not agree on more. */
function toHeader(text: string): string {
  return text.replace(/[^\t\x20-\x7e\xa0-\xff]+/g, " ").trim();
}

interface BodyFormat {
  type: string;
  isJson: boolean;
  escape(value: string): string;
}

const escapeJson = (value: string) => JSON.stringify(value).slice(1, -1);
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeXml = (value: string) => value.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

function formatOf(target: CheckedTarget, body: string): BodyFormat {
  const [, named] = Object.entries(headersOf(target)).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  const type =
    named ?? (/^\s*[[{]/.test(body) && !/^\s*\{\{/.test(body) ? "application/json" : "text/plain; charset=utf-8");
  if (/json/i.test(type)) return { type, isJson: true, escape: escapeJson };
  if (/x-www-form-urlencoded/i.test(type)) return { type, isJson: false, escape: encodeURIComponent };
  if (/xml|html/i.test(type)) return { type, isJson: false, escape: escapeXml };
  return { type, isJson: false, escape: (value) => value };
}

function findFlaw(target: CheckedTarget): string | null {
  const body = configText(template, target, "body");
  const headers = Object.entries(headersOf(target));
  for (const [path, text] of [
    ["url", target.url],
    ["config.body", body],
    ...headers.map(([name, value]) => ["config.headers", value, name] as const),
  ] as const) {
    const parsed = parseTemplate(text);
    if (parsed.kind === "flawed") return `${path} ${parsed.message}`;
  }
  if (/^[^/]*\/\/[^/]*\{\{/.test(target.url)) return "url must have no fields before its path";
  if (!isHttpUrl(target.url.replace(/\{\{[^}]*\}\}/g, "x"))) return NOT_AN_ADDRESS;
  const method = configText(template, target, "method");
  const format = formatOf(target, body);
  if (!format.isJson || BODYLESS.includes(method)) return null;
  const examples = EVENT_NAMES.map((name) => templateValuesOf(exampleInputOf(name)));
  const wrong = examples.find((values) => !isJson(fill(body, values, format.escape)));
  return wrong ? `config.body is not valid JSON when it is filled for ${wrong.event}` : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
