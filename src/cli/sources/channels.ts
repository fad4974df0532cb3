import type { WebhookProvider } from "../../contract/webhook.ts";
import type { ForeignRecord } from "./record.ts";

/** Which provider takes the place of another tool's channel, and where its settings stand there. */
export interface ChannelType {
  provider: WebhookProvider;
  /** Members of the webhook, those of `config` named with it, by the settings that hold them; the first is needed. */
  fields: Record<string, string>;
}

export type Channel = {
  provider: WebhookProvider;
  url?: string;
  secret?: string;
  config?: Record<string, string | Record<string, string>>;
};

/** Null where the main setting is missing. */
export function readChannel({ provider, fields }: ChannelType, settings: ForeignRecord): Channel | null {
  const channel: Channel = { provider };
  const config: Record<string, string> = {};
  for (const [n, [field, setting]] of Object.entries(fields).entries()) {
    const value = settings.text(setting) ?? (settings.texts(setting).join(",") || undefined);
    if (value === undefined && n === 0) return null;
    if (value === undefined) continue;
    if (field === "url" || field === "secret") channel[field] = value;
    else config[field.slice("config.".length)] = value;
  }
  return { ...channel, ...(Object.keys(config).length > 0 && { config }) };
}

export function telegramChannel(token: string | undefined, chat: string | undefined, api?: string): Channel | null {
  if (!token || !chat) return null;
  const url = `${api ?? "https://api.telegram.org"}/bot${token}/sendMessage`;
  return { provider: "telegram", url, secret: chat };
}

export function ntfyChannel(server: string | undefined, topic: string | undefined, token?: string): Channel | null {
  if (!server || !topic) return null;
  const url = `${server.replace(/\/+$/, "")}/${encodeURIComponent(topic)}`;
  return { provider: "ntfy", url, ...(token && { secret: token }) };
}

/** Ours by the names that another tool gives to words of a message. */
export type Words = Readonly<Record<string, string>>;

/** A body with words of ours in place of those of the other tool; null where it says more than we know. */
export function translateTemplate(body: string, pattern: RegExp, words: Words): string | null {
  let isKnown = true;
  const translated = body.replace(pattern, (_, name: string) => {
    const word = Object.hasOwn(words, name.trim()) ? words[name.trim()] : undefined;
    if (word === undefined) isKnown = false;
    return `{{${word}}}`;
  });
  return isKnown ? translated : null;
}
