import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { loadSecrets } from "../../scripts/local/secrets.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import type { BrowserMessage } from "../../src/lib/browser-message.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { contactCode } from "../../src/platform/contact-codes.ts";
import { CHROMIUM, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const CORE = "/api/core/v1";
const CONTACTS = "/app/account/contacts";
/** A push service that never answers: a browser without a network reaches none, and nothing leaves this machine. */
const SUBSCRIPTION = JSON.stringify({
  endpoint: "https://127.0.0.1:9/push/phone",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
});
const SUBSCRIBE = `PushManager.prototype.getSubscription = async () => null;
PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
  if (!userVisibleOnly || !/^B[\\w-]{86}$/.test(applicationServerKey)) throw new Error("refused");
  return { toJSON: () => (${SUBSCRIPTION}) };
};`;

/**
 * From the permission on: the messages come by the browser's own protocol instead of a push service, and what the service
 * worker then shows and sends is real.
 */
describe.skipIf(!existsSync(CHROMIUM))("alerts in the browser", () => {
  const dashboard = useDashboard();
  let secret = "";
  beforeAll(() => {
    secret = loadSecrets(stateDirOf({ STATE_DIR: dashboard.service.stateDir })).ROOT_SECRET ?? "";
  });

  it("are set up by one tap, arrive as notifications, and are acknowledged from these", async () => {
    const { url } = dashboard.service;
    const { id: user_id } = await dashboard.call("GET", `${CORE}/auth/me`);
    await dashboard.visit({ ...PHONE, serviceWorkers: "allow", permissions: ["notifications"] }, async (page) => {
      await page.addInitScript(SUBSCRIBE);
      await page.goto(`${url}/app`);
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
      const deliver = await reachWorker(page, url);

      await page.goto(`${url}/app/alerts/new`);
      await page.getByRole("button", { name: "Alert me here" }).click();
      await page.getByText("A test message is on its way.").waitFor();
      expect(await page.getByRole("row", { name: /Chrome on .*Browser or phone/ }).count()).toBe(1);
      const [contact] = (await dashboard.call("GET", `${V1}/notify-contacts`)) as unknown as Contact[];
      const { id = "", created_at = "" } = contact ?? {};
      const named = { id, user_id: String(user_id), created_at: Date.parse(created_at) };
      const test = {
        kind: "code",
        title: "Alerts arrive here",
        body: "A test.",
        verify: `${CONTACTS}/${id}/verify`,
      } as const;
      await deliver({ ...test, code: contactCode(secret, named) });
      await page.getByRole("row", { name: /Yes/ }).waitFor();
      expect(await shownBy(page)).toContainEqual({ title: "Alerts arrive here", body: "A test.", actions: [] });

      const created = await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" });
      const fields = { status_page_id: created.id, title: "Payments fail", message: "We look into it." };
      const incident = await dashboard.call("POST", `${V1}/incidents`, fields);
      const link = { id: String(incident.id), sent_at: Date.now(), user_id: String(user_id) };
      await deliver({
        kind: "alert",
        title: "Payments fail",
        body: "HTTP 500\nSince: 12:00",
        tag: "payments",
        is_urgent: true,
        sent_at: Date.now(),
        open: `/app/incidents/${incident.id}`,
        acknowledge: `/acknowledge/${acknowledgeToken(secret, link)}`,
      });
      const alert = { title: "Payments fail", body: "HTTP 500\nSince: 12:00", actions: ["Acknowledge", "Open"] };
      await expect.poll(() => shownBy(page)).toContainEqual(alert);

      await click(page, { tag: "payments", action: "acknowledge" });
      await expect
        .poll(() => shownBy(page))
        .toContainEqual(expect.objectContaining({ title: "Acknowledged: Payments fail" }));
      expect((await dashboard.call("GET", `${V1}/incidents/${incident.id}`)).acknowledged_by).toBe(user_id);

      await deliver({
        kind: "alert",
        title: "Shop is down",
        body: "HTTP 500",
        tag: "shop",
        is_urgent: true,
        sent_at: Date.now(),
        open: `/app/incidents/${incident.id}`,
        evidence: "/app/monitors/1/evidence?since=1",
      });
      const evident = { title: "Shop is down", body: "HTTP 500", actions: ["Evidence"] };
      await expect.poll(() => shownBy(page)).toContainEqual(evident);
    });
  });
});

interface Contact {
  id: string;
  created_at: string;
}

/** Delivers messages to the service worker as the browser does. */
async function reachWorker(page: Page, url: string): Promise<(message: BrowserMessage) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const found = new Promise<string>((done) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const { registrationId, scopeURL } of registrations) if (scopeURL.startsWith(url)) done(registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await found;
  return async (message) => {
    const data = JSON.stringify(message);
    await session.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data });
  };
}

/** The notifications on the screen. */
function shownBy(page: Page): Promise<{ title: string; body: string; actions: string[] }[]> {
  return page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, actions = [] }) => ({ title, body, actions: actions.map((each) => each.title) })))`);
}

/** Nobody can tap a notification of a headless browser, so its event is made in the worker. */
async function click(page: Page, { tag, action }: { tag: string; action: string }): Promise<void> {
  const [worker] = page.context().serviceWorkers();
  await worker?.evaluate(
    `registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(([notification]) => {
      dispatchEvent(new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} }));
    })`,
  );
}
