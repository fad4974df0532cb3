import { type ConfigInput, type ProviderConfig, SECRET_PLACEHOLDER } from "../contract/webhook.ts";
import type { ChatServices, CheckedTarget, Notifier, ProviderField, WebhookTarget } from "./port.ts";

/** What follows from the fields that a provider declares: checks, masks and what is a secret. */

const TEXT_MAX = 512;
const URL_MAX = 2048;
const HEADERS_CHARACTERS_MAX = 8192;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Those that the connection decides on. */
const HEADERS_RESERVED = /^(?:host|content-length|connection|transfer-encoding|upgrade|te|trailer|keep-alive)$/i;

type Traits = Partial<Omit<ProviderField, "name" | "label" | "help">>;

export function textField(name: string, label: string, help: string, traits: Traits = {}): ProviderField {
  return { name, label, help, kind: "text", is_secret: false, is_required: true, length_max: TEXT_MAX, ...traits };
}

export function secretField(name: string, label: string, help: string, traits: Traits = {}): ProviderField {
  return textField(name, label, help, { is_secret: true, ...traits });
}

/** The address of the webhook: a member of its own, beside `config`. */
export function urlField(help: string, traits: Traits = {}): ProviderField {
  return textField("url", "URL", help, { length_max: URL_MAX, ...traits });
}

export function selectField(name: string, label: string, help: string, options: readonly string[]): ProviderField {
  return textField(name, label, help, { kind: "select", is_required: false, options, default: options[0] });
}

const isOwnMember = ({ name }: ProviderField) => name === "url" || name === "secret";

export function configFieldsOf({ fields }: Pick<Notifier, "fields">): readonly ProviderField[] {
  return fields.filter((field) => !isOwnMember(field));
}

/** The address that holds while the webhook names none. */
export function defaultAddressOf({ fields }: Pick<Notifier, "fields">): string {
  return fields.find(({ name }) => name === "url")?.default ?? "";
}

/** The text of a field, or its default. */
export function configText(notifier: Pick<Notifier, "fields">, { config }: CheckedTarget, name: string): string {
  const value = config[name];
  if (typeof value === "string" && value !== "") return value;
  return notifier.fields.find((field) => field.name === name)?.default ?? "";
}

export type ConfigReading =
  | { kind: "read"; config: ProviderConfig; ignored: string[] }
  | { kind: "flawed"; path: string; message: string };

/** The config with what was given in place of what is stored: absent keeps, null clears, `***` keeps a secret. */
export function mergeConfig(
  notifier: Pick<Notifier, "fields">,
  given: ConfigInput | null | undefined,
  stored: ProviderConfig,
): ConfigReading {
  const declared = configFieldsOf(notifier);
  const config: Record<string, ProviderConfig[string]> = {};
  for (const field of declared) {
    const present = Object.hasOwn(stored, field.name) ? stored[field.name] : undefined;
    const value = given === null ? null : given && Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    const next = value === undefined ? present : readValue(field, value, present);
    if (next instanceof Flaw) return { kind: "flawed", path: `config.${field.name}`, message: next.message };
    if (next !== undefined) config[field.name] = next;
  }
  const names = notifier.fields.map(({ name }) => name);
  const ignored = Object.keys(given ?? {}).filter((name) => !names.includes(name));
  return { kind: "read", config, ignored };
}

class Flaw {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

type Value = ProviderConfig[string] | undefined;

function readValue(field: ProviderField, value: NonNullable<ConfigInput[string]> | null, present: Value): Value | Flaw {
  if (value === null || value === "") return undefined;
  if (field.kind === "headers") return readHeaders(value, present);
  if (typeof value === "object") return new Flaw("must be a text");
  const text = field.kind === "textarea" ? String(value) : String(value).trim();
  return field.is_secret && text === SECRET_PLACEHOLDER ? present : text || undefined;
}

function readHeaders(value: NonNullable<ConfigInput[string]>, present: Value): Value | Flaw {
  const headers = typeof value === "string" ? parseHeaders(value) : value;
  if (typeof headers !== "object") return new Flaw("must be an object of texts by header name");
  const stored = typeof present === "object" ? present : {};
  const entries: [string, string][] = [];
  for (const [name, text] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || HEADERS_RESERVED.test(name)) return new Flaw(`must not name the header ${name}`);
    const kept = text === SECRET_PLACEHOLDER ? (Object.hasOwn(stored, name) ? stored[name] : undefined) : text;
    if (kept === undefined) return new Flaw(`has no stored value for ${name}`);
    if (!HEADER_VALUE.test(kept)) return new Flaw(`must have a value of one line for ${name}`);
    entries.push([name, kept]);
  }
  const length = entries.flat().reduce((sum, text) => sum + text.length, 0);
  if (length > HEADERS_CHARACTERS_MAX) return new Flaw(`must have at most ${HEADERS_CHARACTERS_MAX} characters`);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A form and older clients send JSON in a text, or lines of `Name: value`. */
function parseHeaders(text: string): Record<string, string> | string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (text.trim().startsWith("{")) {
    try {
      const parsed: unknown = JSON.parse(text);
      const entries = Object.entries(parsed ?? {});
      return entries.every(([, value]) => typeof value === "string") ? Object.fromEntries(entries) : text;
    } catch {
      return text;
    }
  }
  const pairs = lines.map((line) => /^([^:\s]+)\s*:\s*(.*)$/.exec(line.trim()));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name, value]) => [name, value]))
    : text;
}

/** What a target lacks, as a sentence that names the wire field; null where nothing does. */
export function findTargetFlaw(notifier: Notifier, target: CheckedTarget, services: ChatServices): string | null {
  const address = notifier.fields.find(({ name }) => name === "url");
  if (address?.is_required && target.url === "" && address.default === undefined) return "url is required";
  const own = notifier.validate?.(target, services) ?? null;
  if (own !== null) return own;
  for (const field of notifier.fields) {
    const flaw = flawOfField(field, fieldValue(field, target));
    if (flaw !== null) return `${pathOf(field)} ${flaw}`;
  }
  return null;
}

const pathOf = (field: ProviderField) => (isOwnMember(field) ? field.name : `config.${field.name}`);

function fieldValue({ name }: ProviderField, { url, secret, config }: CheckedTarget): Value {
  if (name === "url") return url;
  return name === "secret" ? (secret ?? undefined) : Object.hasOwn(config, name) ? config[name] : undefined;
}

function flawOfField(field: ProviderField, value: Value): string | null {
  const { label, is_required, length_max, options, form } = field;
  if (value === undefined || value === "") {
    return is_required && field.default === undefined ? `is required: ${lowerFirst(label)}` : null;
  }
  if (typeof value !== "string") return null;
  if (value.length > length_max) return `must have at most ${length_max} characters`;
  if (options && !options.includes(value)) return `must be one of ${options.join(", ")}`;
  return form && !form.pattern.test(value) ? `must be ${form.words}` : null;
}

/** `API key` keeps its capitals. */
function lowerFirst(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** The config as its owner reads it: secrets are masked. */
export function maskConfig(
  notifier: Pick<Notifier, "fields" | "hasAddressInConfig">,
  { url, config }: Pick<CheckedTarget, "url" | "config">,
): ProviderConfig {
  const entries = configFieldsOf(notifier).flatMap(({ name, is_secret }): [string, ProviderConfig[string]][] => {
    const value = Object.hasOwn(config, name) ? config[name] : undefined;
    return value === undefined ? [] : [[name, is_secret ? maskAll(value) : value]];
  });
  return Object.fromEntries(notifier.hasAddressInConfig ? [["url", url], ...entries] : entries);
}

/** Only the names of its fields. */
export function maskWholeConfig(config: ProviderConfig): ProviderConfig {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, maskAll(value)]));
}

function maskAll(value: ProviderConfig[string]): ProviderConfig[string] {
  if (typeof value === "string") return SECRET_PLACEHOLDER;
  return Object.fromEntries(Object.keys(value).map((name) => [name, SECRET_PLACEHOLDER]));
}

/** The config without what is secret, and the names of what was taken out. */
export function withoutSecretFields(notifier: Pick<Notifier, "fields">, config: ProviderConfig) {
  const secrets = configFieldsOf(notifier).filter(({ name, is_secret }) => is_secret && Object.hasOwn(config, name));
  const names = secrets.map(({ name }) => name);
  const kept = Object.entries(config).filter(([name]) => !names.includes(name));
  return { config: Object.fromEntries(kept), removed: names };
}

/** Shorter ones may stand in any text by chance. */
const SECRET_LENGTH_MIN = 4;

/** Every secret of a target as it may stand in a request or an answer. */
export function secretsOf(notifier: Pick<Notifier, "fields">, target: WebhookTarget): string[] {
  const values = notifier.fields.filter(({ is_secret }) => is_secret).map((field) => fieldValue(field, target));
  return values
    .flatMap((value) => (typeof value === "string" ? [value] : Object.values(value ?? {})))
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
}
