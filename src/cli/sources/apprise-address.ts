import { type Channel, ntfyChannel, telegramChannel } from "./channels.ts";
import type { Remarks } from "./draft.ts";

/**
 * Addresses of Apprise for the services that we have: https://github.com/caronc/apprise/wiki and the `templates` of its
 * plugins. They hold credentials, so that no remark repeats one.
 */

interface Address {
  schema: string;
  user: string | null;
  password: string | null;
  /** Host and port, or the first credential, as written: capitals matter. */
  host: string;
  path: readonly string[];
  query: URLSearchParams;
}

const PARTS = /^([a-z0-9+-]+):\/\/(?:([^/?]*)@)?([^/?]*)([^?]*)(?:\?(.*))?$/is;

export function readAddress(text: string): Address | null {
  const parts = PARTS.exec(text.trim());
  if (!parts) return null;
  const [, schema = "", credentials, host = "", path = "", query = ""] = parts;
  const [user, ...password] = credentials === undefined ? [] : credentials.split(":");
  return {
    schema: schema.toLowerCase(),
    user: user === undefined ? null : decoded(user),
    password: password.length === 0 ? null : decoded(password.join(":")),
    host: decoded(host),
    path: path.split("/").filter(Boolean).map(decoded),
    query: new URLSearchParams(query),
  };
}

/** As it stands where it is no encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Reader = (address: Address, remarks: Remarks) => (Channel | null)[];

/** The channels of an address; none for a service that we do not have, or a form of its address that says too little. */
export function appriseChannels(text: string, remarks: Remarks): Channel[] {
  const native = nativeChannel(text.trim());
  if (native) return [native];
  const rocket = rocketChannel(text.trim());
  if (rocket) return [rocket];
  const address = readAddress(text);
  const read = address && Object.hasOwn(READERS, address.schema) ? READERS[address.schema] : undefined;
  return address && read ? read(address, remarks).filter((channel) => channel !== null) : [];
}

/** Apprise also takes the address that a service itself shows. */
const NATIVE: readonly [RegExp, Channel["provider"]][] = [
  [/^https:\/\/hooks\.slack\.com\/services\/\S+$/, "slack"],
  [/^https:\/\/(?:discord|discordapp)\.com\/api\/webhooks\/\S+$/, "discord"],
  [/^https:\/\/chat\.googleapis\.com\/v1\/spaces\/\S+$/, "google_chat"],
  [/^https:\/\/open\.(?:larksuite|feishu)\.(?:com|cn)\/open-apis\/bot\/\S+$/, "lark"],
  [/^https:\/\/qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?\S+$/, "wecom"],
  [/^https:\/\/oapi\.dingtalk\.com\/robot\/send\?\S+$/, "dingtalk"],
];

function nativeChannel(url: string): Channel | null {
  const known = NATIVE.find(([pattern]) => pattern.test(url));
  return known ? { provider: known[1], url } : null;
}

/** Its credential has a slash before the host. */
function rocketChannel(text: string): Channel | null {
  const [, schema, one, other, host] =
    /^(rockets?):\/\/(?:[^/?@:]*:)?([A-Za-z0-9]+)(?:\/|%2F)([A-Za-z0-9]+)@([^/?]+)/i.exec(text) ?? [];
  if (!schema || !host) return null;
  return { provider: "rocket_chat", url: `${schemeOf(schema)}//${host}/hooks/${one}/${other}` };
}

const schemeOf = (schema: string) => (schema.toLowerCase().endsWith("s") ? "https:" : "http:");
const originOf = ({ schema, host }: Address) => `${schemeOf(schema)}//${host}`;
const phone = (digits: string) => (/^\+?\d{7,15}$/.test(digits) ? `+${digits.replace("+", "")}` : null);

const slack: Reader = ({ host, path: [b, c, ...targets] }, remarks) => {
  if (!b || !c) return [null];
  if (targets.length > 0) remarks.changes("it goes to the channel of the webhook");
  return [{ provider: "slack", url: `https://hooks.slack.com/services/${host}/${b}/${c}` }];
};

const pagerduty: Reader = ({ user, query }) => {
  if (!user) return [null];
  const host = query.get("region")?.toLowerCase() === "eu" ? "events.eu.pagerduty.com" : "events.pagerduty.com";
  return [{ provider: "pagerduty", url: `https://${host}/v2/enqueue`, secret: user }];
};

const opsgenie: Reader = ({ host, query, path }, remarks) => {
  if (path.length > 0) remarks.changes("the integration says whom it alerts");
  const api = query.get("region")?.toLowerCase() === "eu" ? "api.eu.opsgenie.com" : "api.opsgenie.com";
  return [{ provider: "jira_service_management", url: `https://${api}/v2/alerts`, config: { api_key: host } }];
};

const splunk: Reader = ({ user, host }) => [
  user ? { provider: "splunk_on_call", config: { api_key: host, routing_key: user } } : null,
];

/** By an access token and internal rooms; a password has to become a token first. */
const matrix: Reader = (address) =>
  address.path.map((room_id) =>
    address.user && address.password === null && room_id.startsWith("!")
      ? { provider: "matrix", url: originOf(address), config: { room_id, access_token: address.user } }
      : null,
  );

const mattermost: Reader = (address) => {
  const token = address.path.at(-1);
  const before = address.path.slice(0, -1).map((part) => `/${part}`);
  return [token ? { provider: "mattermost", url: `${originOf(address)}${before.join("")}/hooks/${token}` } : null];
};

const gotify: Reader = (address) => {
  const token = address.path.at(-1);
  const before = address.path.slice(0, -1).map((part) => `/${part}`);
  return [token ? { provider: "gotify", url: `${originOf(address)}${before.join("")}`, config: { token } } : null];
};

const zulip: Reader = ({ user, host, path: [api_key, ...channels] }) => {
  if (!user || !api_key) return [null];
  const domain = host.includes(".") ? host : `${host}.zulipchat.com`;
  const email = `${user.replace(/-bot$/, "")}-bot@${domain}`;
  return channels.map((channel) => ({
    provider: "zulip",
    url: `https://${domain}`,
    config: { email, api_key, channel: channel.replace(/^#/, "") },
  }));
};

const lark =
  (api: string): Reader =>
  ({ host }) => [{ provider: "lark", url: `https://${api}/open-apis/bot/v2/hook/${host}` }];

const dingtalk: Reader = ({ user, host }) => [
  {
    provider: "dingtalk",
    url: `https://oapi.dingtalk.com/robot/send?access_token=${encodeURIComponent(host)}`,
    ...(user && { config: { sign_secret: user } }),
  },
];

const wecom: Reader = ({ host }) => [
  { provider: "wecom", url: `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${encodeURIComponent(host)}` },
];

/** Its token is Base64 and may have slashes; it ends in an equals sign. */
const line: Reader = ({ host, path }) => {
  const parts = [host, ...path];
  const last = parts.reduce((found, part, n) => (part.endsWith("=") ? n : found), 0);
  const token = parts.slice(0, last + 1).join("/");
  return parts.slice(last + 1).map((to) => ({ provider: "line", config: { token, to } }));
};

const signal: Reader = (address) => {
  const [from = "", ...to] = address.path;
  const [number, recipients] = [phone(from), to.flatMap((each) => phone(each) ?? [])];
  if (number === null || recipients.length < to.length || to.length === 0 || address.user !== null) return [null];
  return [{ provider: "signal", url: originOf(address), config: { number, recipients: recipients.join(",") } }];
};

/** Where messages begin with a template, as ours do. */
const whatsapp: Reader = ({ user, password, host, path, query }) =>
  path.map((number) => {
    const to = phone(number);
    if (!user || !password || to === null) return null;
    const language = query.get("lang") ?? "en_US";
    return { provider: "whatsapp", config: { phone_number_id: host, token: password, to, template: user, language } };
  });

const homeAssistant: Reader = (address) => {
  const [token, ...targets] = address.path;
  if (!token) return [null];
  const url =
    /:\d+$/.test(address.host) || address.schema.endsWith("s") ? originOf(address) : `${originOf(address)}:8123`;
  const services =
    targets.length === 0 ? ["persistent_notification"] : targets.map((each) => each.replace(/^notify\./, ""));
  return services.map((service) => ({ provider: "home_assistant", url, config: { token, service } }));
};

const bark: Reader = (address) =>
  address.path.map((device_key) => ({ provider: "bark", url: originOf(address), config: { device_key } }));

const pushbullet: Reader = ({ host, path }, remarks) => {
  const tags = path.flatMap((each) => (each.startsWith("#") ? [each.slice(1)] : []));
  if (tags.length < path.length) remarks.changes("all devices of the account get it, not chosen ones");
  const token = { token: host };
  const all: Channel[] =
    path.length === 0 || tags.length < path.length ? [{ provider: "pushbullet", config: token }] : [];
  return [
    ...all,
    ...tags.map((channel_tag) => ({ provider: "pushbullet", config: { ...token, channel_tag } }) as const),
  ];
};

const pushover: Reader = ({ user, host, path }) => [
  user
    ? { provider: "pushover", config: { token: host, user, ...(path.length > 0 && { device: path.join(",") }) } }
    : null,
];

const twilio: Reader = ({ user, password, host, path }) => {
  const from = phone(host) ?? host;
  return (path.length === 0 ? [host] : path).map((number) => {
    const to = phone(number);
    if (!user || !password || to === null) return null;
    return { provider: "twilio_sms", config: { account_sid: user, auth_token: password, from, to } };
  });
};

/** Without a path the host is the topic, on the public server; a password has to become a token first. */
const ntfy: Reader = (address) => {
  const { host, path, user, password } = address;
  if (password !== null) return [null];
  if (path.length === 0) return [ntfyChannel("https://ntfy.sh", host, user ?? undefined)];
  return path.map((topic) => ntfyChannel(originOf(address), topic, user ?? undefined));
};

const googleChat: Reader = ({ host, path: [key, token] }) => {
  if (!key || !token) return [null];
  const query = new URLSearchParams({ key, token });
  return [{ provider: "google_chat", url: `https://chat.googleapis.com/v1/spaces/${host}/messages?${query}` }];
};

const ofServer: Reader = (address) => {
  if (address.path.length === 0 || address.user !== null) return [null];
  const key = address.path.at(-1);
  const before = address.path.slice(0, -1).map((part) => `/${part}`);
  const tag = address.query.get("tags");
  const url = `${originOf(address)}${before.join("")}/notify/${key}`;
  return [{ provider: "apprise", url, ...(tag && { config: { tag } }) }];
};

const webex: Reader = ({ host, path }) =>
  path.map((room_id) => ({ provider: "webex", config: { token: host, room_id } }));

/** Through the mail of this service; the mailbox that Apprise sends from is not needed. */
const email: Reader = ({ user, host, path, query, password }, remarks) => {
  const named = [...path, ...(query.get("to") ?? "").split(",")]
    .map((each) => each.trim())
    .filter((each) => each.includes("@"));
  const own = user === null ? [] : [user.includes("@") ? user : `${user}@${host.replace(/:\d+$/, "")}`];
  if (password !== null) remarks.stays("the mailbox that it was sent from: this service sends by its own");
  return (named.length > 0 ? named : own).map((to) => ({ provider: "email", url: `mailto:${to}` }));
};

const json: Reader = (address, remarks) => {
  if (address.user !== null) return [null];
  remarks.changes("its body is that of a webhook here: see docs/channels/generic.md");
  const path = address.path.map((part) => `/${encodeURIComponent(part)}`).join("");
  return [{ provider: "generic", url: `${originOf(address)}${path}` }];
};

const READERS: Readonly<Record<string, Reader>> = {
  slack,
  discord: ({ host, path: [token] }) => [
    token ? { provider: "discord", url: `https://discord.com/api/webhooks/${host}/${token}` } : null,
  ],
  tgram: ({ host, path }) => path.map((chat) => telegramChannel(host.replace(/^bot/, ""), chat.replace(/:\d+$/, ""))),
  pover: pushover,
  pbul: pushbullet,
  pagerduty,
  opsgenie,
  splunk,
  victorops: splunk,
  matrix,
  matrixs: matrix,
  mmost: mattermost,
  mmosts: mattermost,
  gotify,
  gotifys: gotify,
  zulip,
  feishu: lark("open.feishu.cn"),
  lark: lark("open.larksuite.com"),
  dingtalk,
  wecombot: wecom,
  line,
  signal,
  signals: signal,
  whatsapp,
  hassio: homeAssistant,
  hassios: homeAssistant,
  bark,
  barks: bark,
  twilio,
  ntfy,
  ntfys: ntfy,
  gchat: googleChat,
  apprise: ofServer,
  apprises: ofServer,
  wxteams: webex,
  webex,
  mailto: email,
  mailtos: email,
  json,
  jsons: json,
};

/** How an address is named in remarks: its service, never what follows. */
export function serviceOf(text: string): string {
  return /^([a-z0-9+-]{1,30}):\/\//i.exec(text.trim())?.[1]?.toLowerCase() ?? "unknown";
}
