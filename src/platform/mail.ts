import type { Env } from "./env.ts";
import type { Settings } from "./settings.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  headers?: Record<string, string>;
}

export type MailOutcome = { kind: "sent" } | { kind: "failed"; error: string; is_final: boolean };

const TIMEOUT_MS = 10_000;

/** Whether anything is configured that sends; else people read the outbox. */
export function canSendMail(env: Env, settings: Settings): boolean {
  return settings.MAIL_FROM !== "" && (env.MAIL !== undefined || settings.MAIL_HTTP_URL !== "");
}

/** The way out for mail: the platform's e-mail binding, else an HTTP service that takes JSON. */
export async function sendMail(env: Env, settings: Settings, mail: Mail): Promise<MailOutcome> {
  const message = { from: settings.MAIL_FROM, ...mail };
  try {
    if (env.MAIL) {
      await env.MAIL.send(message);
      return { kind: "sent" };
    }
    const response = await fetch(settings.MAIL_HTTP_URL, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${settings.MAIL_HTTP_TOKEN}` },
      body: JSON.stringify(message),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: "sent" };
    const isFinal = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status);
    return { kind: "failed", error: `the mail service answered ${response.status}`, is_final: isFinal };
  } catch (error) {
    return { kind: "failed", error: String(error), is_final: false };
  }
}
