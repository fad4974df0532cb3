import { Webhook } from "../../contract/webhook.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { randomBase62 } from "../../platform/credentials.ts";
import { requireApi } from "../call-api.ts";
import { words } from "../words.ts";

/** Its app is free and needs no account: who knows the topic reads it, so that nobody may guess it. */
const NTFY = "https://ntfy.sh";
const TOPIC_LENGTH = 24;

/** Adds a channel to a phone, by a topic made for it; answers where its owner reads how to subscribe. */
export async function addPhoneChannel(c: AppContext): Promise<string> {
  const url = `${NTFY}/vigil-${randomBase62(TOPIC_LENGTH)}`;
  const body = { name: words("dashboard-alerts").phone.name, provider: "ntfy", url, status_page_id: null };
  const made = await requireApi(c, { method: "POST", path: "/api/uptime/v1/webhooks", body });
  return `/app/alerts/${Webhook.pick({ id: true }).parse(made).id}/edit`;
}
