import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { IdKind } from "../../src/access/id-authorization.ts";
import { requireRecentPassword } from "../../src/access/sessions.ts";
import type { ChatService } from "../../src/contract/chat-link.ts";
import { insertStatusChannel } from "../../src/data/chat-links/write.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { insertEscalation } from "../../src/data/escalations/write.ts";
import { users } from "../../src/data/users/table.ts";
import { type Endpoint, SURFACES } from "../../src/http/endpoint.ts";
import { escalationId } from "../../src/outbox/escalations.ts";
import { newId } from "../../src/platform/ids.ts";
import { codeOf } from "./authenticator.ts";
import { chatCodeOf, insertChatAccountOf } from "./chats.ts";
import { CORE, V1 } from "./client.ts";
import { createContact } from "./contacts.ts";
import { type Account, createAccount, createMonitor, createPage } from "./factories.ts";
import {
  createAccountWithPassword,
  createInvitation,
  createMember,
  emailOf,
  insertBrowser,
  insertLinkedSignIn,
  insertNotice,
  insertPassword,
  insertSession,
  joinPage,
  PASSWORD,
  transferTokenOf,
} from "./members.ts";
import { addPasskey, askToSignIn, createDevice, setUpPasskey } from "./passkeys.ts";
import { insertReferrals } from "./referrals.ts";
import { recordChecks } from "./results.ts";
import { insertSubscriber } from "./subscribers.ts";
import { createWebhook } from "./webhooks.ts";

const AGENT_HEADER = "x-agent-token";

/**
 * What the sweeps know of the product: one way to make each kind of object, and one valid request for each endpoint
 * that cannot be guessed. A new feature adds a line to OBJECTS for each kind of id, and to EXAMPLES for each body.
 */
type Kind = IdKind extends infer Name ? (Name extends `${infer Base}:${string}` ? Base : Name) : never;

const SLA_POLICY = { name: "Gold", target_percentage: 99.9 };

/** Makes an object of this account and gives its id. */
const WORKFLOW = { repository: "shop/site", branch: "main", scopes: ["maintenance.write"] };

export const OBJECTS: Record<
  Kind | "token" | "notification" | "saved_view" | "wall_link" | "trusted_workflow" | "chat_account",
  (account: Account) => Promise<string>
> = {
  page: (account) => createPage(account),
  monitor: async ({ client }) => (await createMonitor(client)).id,
  group: async (account) => {
    const body = { name: "Shops", status_page_id: await createPage(account) };
    return (await account.client.post(`${V1}/groups`, body)).body.id;
  },
  webhook: async (account) => (await createWebhook(account)).id,
  agent: async ({ client }) => (await client.post(`${V1}/agents`, { name: "Rack" })).body.id,
  incident: (account) => createIncident(account),
  "incident template": async (account) => {
    const path = `${V1}/status-pages/${await createPage(account)}/incident-templates`;
    return (await account.client.post(path, { name: "Slow", title: "It is slow" })).body.id;
  },
  "escalation policy": async (account) => (await withPolicy(account)).params.policy_id,
  "on-call schedule": async (account) => (await withSchedule(account)).params.schedule_id,
  escalation: async (account) => (await withPageEscalation(account)).params.escalation_id,
  "event rule": async (account) => (await createRule(account)).rule_id,
  maintenance: (account) => createMaintenance(account),
  "status channel": (account) => insertStatusChannelOf(account, "discord"),
  subscriber: (account) => insertSubscriber(account),
  sla_policy: async ({ client }) => (await client.post(`${V1}/sla-policies`, SLA_POLICY)).body.id,
  command: async (account) => (await createCommand(account)).id,
  "agent command": async (account) => (await withQueuedCommand(account)).params.command_id,
  discovery: async (account) => (await withDiscovery(account)).params.discovery_id,
  member: async (account) => (await createMember(account)).member_id,
  invitation: async (account) => (await createInvitation(account)).invitation_id,
  notification: async (account) => insertNotice(account.user_id),
  token: async ({ client }) => (await client.post(`${CORE}/user/api-tokens`, { name: "CI" })).body.id,
  saved_view: async ({ client }) => (await client.post(`${CORE}/user/views`, VIEW)).body.id,
  trusted_workflow: async ({ client }) => (await client.post(`${CORE}/user/trusted-workflows`, WORKFLOW)).body.id,
  chat_account: insertChatAccountOf,
  wall_link: async ({ client }) => (await client.post(`${CORE}/user/wall-links`, { name: "Office" })).body.id,
};

async function withWall({ client }: Account): Promise<Example> {
  const { url } = (await client.post(`${CORE}/user/wall-links`, { name: "Office" })).body;
  return { params: { token: url.split("/").at(-1) } };
}

const VIEW = { name: "In trouble", list: "monitors", query: "status=down,degraded" };
const RULE = {
  event_name: "monitor.down",
  conditions: [{ metric: "latency_ms", operator: "gt", value: 500 }],
};
const API = { type: "api", target: undefined };
const GAME = { type: "game_server", query_method: "push", target: undefined };

export interface Example {
  /** For endpoints whose caller is not the account itself. */
  headers?: Record<string, string>;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

/** By method and path: the body, and the parameters that the endpoint's policy does not explain. */
export const EXAMPLES: Record<string, (account: Account) => Promise<Example>> = {
  "POST /user/api-tokens": async (account) => ({
    body: { name: "CI", expires_in_days: 30, status_page_ids: [await OBJECTS.page(account)] },
  }),
  "POST /user/api-tokens/{id}/rotate": async (account) => ({
    params: { id: await OBJECTS.token(account) },
    body: { overlap_hours: 0 },
  }),
  "POST /deactivated-accounts": async (account) => {
    await makeOperator(account);
    return { body: { email: emailOf(await createAccount()) } };
  },
  "POST /user/chat-accounts": async () => ({ body: { code: chatCodeOf() } }),
  "DELETE /user/chat-accounts/{id}": async (account) => ({
    params: { id: await insertChatAccountOf(account) },
  }),
  "POST /user/trusted-workflows": async (account) => ({
    body: { ...WORKFLOW, status_page_ids: [await OBJECTS.page(account)] },
  }),
  "DELETE /user/trusted-workflows/{id}": async (account) => ({
    params: { id: await OBJECTS.trusted_workflow(account) },
  }),
  "PATCH /session-policy": async (account) => {
    await makeOperator(account);
    return { body: { session_minutes: 43_200 } };
  },
  "PUT /reachable-networks": async (account) => makeOperator(account).then(() => ({ body: { networks: [] } })),
  "DELETE /deactivated-accounts/{id}": async (account) => {
    await makeOperator(account);
    const { user_id: id } = await createAccount();
    await openDb(env.DB).update(users).set({ deactivated_at: 1 }).where(eq(users.id, id));
    return { params: { id } };
  },
  "GET /sign-in-providers": async (account) => makeOperator(account).then(() => ({})),
  "POST /sign-in-providers": async (account) => {
    await makeOperator(account);
    return { body: providerOf(newId()) };
  },
  "GET /sign-in-providers/{id}": withProvider,
  "PATCH /sign-in-providers/{id}": async (account) => ({
    ...(await withProvider(account)),
    body: { account_domains: ["shop.example"] },
  }),
  "DELETE /sign-in-providers/{id}": withProvider,
  "POST /mcp": async () => ({ body: { jsonrpc: "2.0", id: 1, method: "ping" } }),
  "POST /notifications/read": async () => ({ body: { until: "2030-01-01T00:00:00Z" } }),
  "PATCH /auth/me": async () => ({ body: { name: "Ada Lovelace" } }),
  "PUT /user/preferences": async () => ({ body: { mail: false, notify_team: { up: false } } }),
  "DELETE /user/api-tokens/{id}": async (account) => ({ params: { id: await OBJECTS.token(account) } }),
  "GET /status-pages/check-slug": async () => ({ query: { slug: "northwind" } }),
  "POST /status-pages": async () => ({ body: { name: "Northwind", slug: `p-${newId()}` } }),
  "PUT /status-pages/{id}": async () => ({ body: { description: "What runs" } }),
  "PUT /status-pages/{id}/legal": async () => ({ body: { imprint_url: "https://northwind.test/imprint" } }),
  "PUT /status-pages/{id}/ping-key": async () => ({ body: {} }),
  "PATCH /status-pages/{id}/alerting": async () => ({ body: { alert_routing: { "monitor.down": "critical" } } }),
  "POST /status-pages/{id}/monitors/migrate": async (account) => {
    const [id, target_status_page_id] = [await OBJECTS.page(account), await OBJECTS.page(account)];
    const monitor = await createMonitor(account.client, { status_page_id: id });
    return { params: { id }, body: { target_status_page_id, monitor_ids: [monitor.id] } };
  },
  "POST /status-pages/{id}/members": async () => ({ body: { email: `${newId()}@example.com`, role: "viewer" } }),
  "POST /status-pages/members/accept": async (account) => {
    const { token } = await createInvitation(await createAccount(), account);
    return { body: { token } };
  },
  "PUT /status-pages/{id}/members/{member_id}": async (account) => {
    const { id, member_id } = await createMember(account, { role: "viewer" });
    return { params: { id, member_id }, body: { role: "viewer" } };
  },
  "DELETE /status-pages/{id}/members/{member_id}": async (account) => {
    const { id, member_id } = await createMember(account, { role: "viewer" });
    return { params: { id, member_id } };
  },
  "DELETE /status-pages/{id}/members/invitations/{invitation_id}": async (account) => {
    const { id, invitation_id } = await createInvitation(account);
    return { params: { id, invitation_id } };
  },
  "POST /status-pages/{id}/members/{member_id}/resend": async (account) => {
    const { id, invitation_id } = await createInvitation(account);
    return { params: { id, member_id: invitation_id } };
  },
  "POST /status-pages/{id}/transfer": async (account) => {
    const { id, member } = await createMember(account);
    return { params: { id }, body: { user_id: member.user_id } };
  },
  "POST /status-pages/{id}/transfer/withdraw": async (account) => {
    const { id, member } = await createMember(account);
    const headers = await insertBrowser(account);
    await account.client.request("POST", `${V1}/status-pages/${id}/transfer`, { user_id: member.user_id }, headers);
    return { params: { id } };
  },
  "POST /status-pages/transfers/accept": async (account) => ({ body: { token: await offerPageTo(account) } }),
  "POST /status-pages/transfers/decline": async (account) => ({ body: { token: await offerPageTo(account) } }),
  "POST /secrets": async () => ({ body: { name: "SHOP_PASSWORD", value: "a secret" } }),
  "DELETE /secrets/{name}": async ({ client }) => {
    const { body } = await client.post(`${V1}/secrets`, { name: "OLD_PASSWORD", value: "a secret" });
    return { params: { name: body.name } };
  },
  "POST /notify-contacts": async () => ({ body: { type: "email", value: "night@example.com", label: "Night" } }),
  "GET /notify-contacts/application-key": async () => ({}),
  "POST /notify-contacts/{id}/verify": async (account) => {
    const { id, code } = await createContact(account);
    return { params: { id }, body: { code } };
  },
  "DELETE /notify-contacts/{id}": async (account) => ({ params: { id: (await createContact(account)).id } }),
  "PATCH /notifications/{id}": async (account) => ({
    params: { id: await OBJECTS.notification(account) },
    body: { is_read: true },
  }),
  "POST /auth/login": async () => {
    const { email, password } = await createAccountWithPassword();
    return { body: { email, password } };
  },
  "POST /auth/password": async (account) => {
    await insertPassword(account);
    return { body: { current_password: PASSWORD, new_password: PASSWORD } };
  },
  "POST /auth/totp/setup": async (account) => {
    await insertPassword(account);
    return { body: { password: PASSWORD } };
  },
  "POST /auth/totp/confirm": async (account) => ({ body: { code: codeOf(await setUpTotp(account)) } }),
  "POST /auth/totp/disable": async (account) => {
    const secret = await setUpTotp(account);
    await account.client.post(`${CORE}/auth/totp/confirm`, { code: codeOf(secret) });
    return { body: { password: PASSWORD, code: codeOf(secret, 1) } };
  },
  "POST /auth/passkeys/setup": async (account) => {
    await insertPassword(account);
    return { body: { password: PASSWORD } };
  },
  "POST /auth/passkeys": async (account) => {
    await insertPassword(account);
    const device = createDevice();
    return { body: { name: "Phone", credential: device.create(await setUpPasskey(account.client, device)) } };
  },
  "PATCH /auth/passkeys/{id}": async (account) => ({
    params: { id: await withPasskey(account) },
    body: { name: "Work phone" },
  }),
  "DELETE /auth/passkeys/{id}": async (account) => ({
    params: { id: await withPasskey(account) },
    body: { password: PASSWORD },
  }),
  "POST /auth/passkeys/sign-in": async (account) => {
    await insertPassword(account);
    const device = createDevice();
    await addPasskey(account.client, device);
    const { challenge, headers } = await askToSignIn();
    return { body: { passkey: device.sign(challenge) }, headers };
  },
  "DELETE /user": async (account) => {
    await insertPassword(account);
    return { body: { password: PASSWORD } };
  },
  "DELETE /auth/sessions/{id}": async (account) => ({ params: { id: await insertSession(account) } }),
  "DELETE /auth/sign-ins/{id}": async (account) => ({ params: { id: await insertLinkedSignIn(account) } }),
  "POST /referrals/redeem": async ({ user_id }) => {
    await insertReferrals(user_id, { signups: 2 });
    return { body: { credits: 1 } };
  },
  "POST /referrals/click": async ({ client }) => ({
    body: { code: (await client.get(`${V1}/referrals/stats`)).body.code },
  }),
  "GET /metrics": async ({ client }) => {
    const { token } = (await client.post(`${CORE}/user/metrics-token`)).body;
    return { headers: { authorization: `Bearer ${token}` } };
  },
  "POST /monitors": async () => ({ body: { name: "Shop", type: "http", target: "http://sink.test/", paused: true } }),
  "POST /monitors/test": async () => ({ body: { name: "Shop", type: "http", target: "http://sink.test/" } }),
  "POST /monitors/{id}/test": async () => ({ body: { target: "http://sink.test/health" } }),
  "PUT /monitors/{id}": async () => ({ body: { name: "Store" } }),
  "POST /monitors/{id}/pause": async ({ client }) => ({
    params: { id: (await createMonitor(client, { type: "heartbeat", target: undefined, paused: false })).id },
  }),
  "POST /monitors/{id}/check": async (account) => ({
    params: { id: (await createMonitor(account.client, { agent_id: await OBJECTS.agent(account), paused: false })).id },
  }),
  "POST /monitors/{id}/tune": async ({ client }) => {
    const { id } = await createMonitor(client, { interval: 3600 });
    await recordChecks(id, { days: 8, interval_ms: 3_600_000 });
    return { params: { id }, body: { max_false_alarms_per_month: 2 } };
  },
  "POST /monitors/bulk": async (account) => {
    const status_page_id = await OBJECTS.page(account);
    await createMonitor(account.client, { status_page_id });
    return { body: { filter: { status_page_id }, action: "update", changes: { interval: 120 } } };
  },
  "POST /monitors/{id}/clone": async () => ({ body: { name: "Second shop" } }),
  "PUT /monitors/order": async (account) => ({
    body: { monitors: [{ id: await OBJECTS.monitor(account), order: 1 }] },
  }),
  ...byKey("monitors", { name: "Store" }, async ({ client }, external_key) => {
    await createMonitor(client, { external_key });
    return undefined;
  }),
  ...byKey("groups", { name: "Stores" }, async (account, external_key) => {
    const status_page_id = await OBJECTS.page(account);
    await account.client.post(`${V1}/groups`, { name: "Shops", status_page_id, external_key });
    return { status_page_id };
  }),
  ...byKey("webhooks", { name: "Night shift" }, async (account, external_key) => {
    await createWebhook(account, { external_key });
    return undefined;
  }),
  ...byKey("maintenance", { title: "Larger disks" }, async (account, external_key) => {
    const status_page_id = await OBJECTS.page(account);
    await account.client.post(`${V1}/maintenance`, { ...planOf(status_page_id), external_key });
    return { status_page_id };
  }),
  ...byKey("status-pages", { description: "What runs" }, async ({ client }, external_key) => {
    await client.post(`${V1}/status-pages`, { name: "Northwind", slug: `p-${newId()}`, external_key });
    return undefined;
  }),
  "POST /subscribers": async (account) => ({
    body: { status_page_id: await OBJECTS.page(account), endpoints: [`${newId()}@example.com`] },
  }),
  "POST /groups": async (account) => ({ body: { name: "Shops", status_page_id: await OBJECTS.page(account) } }),
  "PUT /groups/{id}": async () => ({ body: { name: "Stores" } }),
  "PUT /groups/order": async (account) => {
    const status_page_id = await OBJECTS.page(account);
    const { body } = await account.client.post(`${V1}/groups`, { name: "Shops", status_page_id });
    return { body: { status_page_id, groups: [{ id: body.id, order: 1 }] } };
  },
  "POST /incidents": async (account) => ({
    body: { status_page_id: await OBJECTS.page(account), title: "Trouble", status: "identified" },
  }),
  "PUT /incidents/{id}": async () => ({ body: { status: "monitoring" } }),
  "POST /incidents/{id}/unpublish": async (account) => ({
    params: { id: await createIncident(account, { is_public: true }) },
  }),
  "POST /incidents/{id}/updates": async () => ({ body: { message: "We know why." } }),
  "PUT /incidents/{id}/updates/{update_id}": withUpdate,
  "DELETE /incidents/{id}/updates/{update_id}": withUpdate,
  "POST /status-pages/{id}/incident-templates": async () => ({ body: { name: "Slow", title: "It is slow" } }),
  "PUT /status-pages/{id}/incident-templates/{template_id}": withTemplate,
  "DELETE /status-pages/{id}/incident-templates/{template_id}": withTemplate,
  "PUT /status-pages/{id}/on-call": async (account) => {
    const { params } = await withPolicy(account);
    return { params: { id: params.id }, body: { policy_id: params.policy_id } };
  },
  "DELETE /status-pages/{id}/on-call": async (account) => ({ params: { id: (await withPolicy(account)).params.id } }),
  "POST /status-pages/{id}/on-call/policies": async () => ({ body: POLICY }),
  "PUT /status-pages/{id}/on-call/policies/{policy_id}": withPolicy,
  "DELETE /status-pages/{id}/on-call/policies/{policy_id}": withPolicy,
  "POST /status-pages/{id}/on-call/schedules": async () => ({ body: { name: "Primary" } }),
  "GET /status-pages/{id}/on-call/schedules/{schedule_id}": withSchedule,
  "PUT /status-pages/{id}/on-call/schedules/{schedule_id}": withSchedule,
  "DELETE /status-pages/{id}/on-call/schedules/{schedule_id}": withSchedule,
  "POST /status-pages/{id}/events/rules": async () => ({ body: RULE }),
  "POST /status-pages/{id}/events/rules/import": async () => ({
    body: { version: 1, kind: "event_rules", rules: [RULE] },
  }),
  "PUT /status-pages/{id}/events/rules/{rule_id}": withRule({ cooldown_seconds: 60 }),
  "DELETE /status-pages/{id}/events/rules/{rule_id}": withRule(),
  "POST /status-pages/{id}/events/rules/{rule_id}/test": withRule({ metrics: { latency_ms: 900 } }),
  "POST /status-pages/{id}/events/rules/{rule_id}/backtest": withRule(),
  "GET /status-pages/{id}/events/rules/{rule_id}/versions": withRule(),
  "POST /status-pages/{id}/events/rules/{rule_id}/restore/{version}": async (account) => {
    const params = await createRule(account);
    const path = `${V1}/status-pages/${params.id}/events/rules/${params.rule_id}`;
    await account.client.put(path, { cooldown_seconds: 60 });
    return { params: { ...params, version: "1" } };
  },
  "POST /status-pages/{id}/alerts": async () => ({ body: { key: "backup/db-1" } }),
  "POST /status-pages/{id}/alerts/alertmanager": async () => ({
    body: { status: "firing", groupKey: "{}:{}", alerts: [{ status: "firing", labels: { alertname: "DiskFull" } }] },
  }),
  "POST /status-pages/{id}/alerts/mapped": async () => ({ query: { key: "/issue/id" }, body: { issue: { id: 42 } } }),
  "POST /status-pages/{id}/events/emit": async () => ({ body: { event_name: "deploy.finished" } }),
  "GET /incidents/{id}/escalation": withEscalation,
  "DELETE /telegram/status-channels/{id}": async (account) => ({
    params: { id: await insertStatusChannelOf(account, "telegram") },
  }),
  "POST /status-pages/{id}/on-call/schedules/{schedule_id}/calendar": withSchedule,
  "DELETE /status-pages/{id}/on-call/schedules/{schedule_id}/calendar": withSchedule,
  "POST /user/views": async () => ({ body: VIEW }),
  "DELETE /user/views/{id}": async (account) => ({ params: { id: await OBJECTS.saved_view(account) } }),
  "POST /user/wall-links": async () => ({ body: { name: "Office, second floor" } }),
  "DELETE /user/wall-links/{id}": async (account) => ({ params: { id: await OBJECTS.wall_link(account) } }),
  "GET /app/wall/{token}": withWall,
  "GET /app/wall/{token}/live": withWall,
  "GET /calendar/{token}": async ({ client }) => {
    const { url } = (await client.post(`${CORE}/user/on-call-calendar`)).body;
    return { params: { token: url.split("/").at(-1) } };
  },
  "GET /status-pages/{id}/on-call/escalations/{escalation_id}": withPageEscalation,
  "POST /status-pages/{id}/on-call/escalations/{escalation_id}/acknowledge": withPageEscalation,
  "POST /incidents/{id}/snooze": withEscalation,
  "POST /maintenance": async (account) => ({ body: planOf(await OBJECTS.page(account)) }),
  "PUT /maintenance/{id}": async () => ({ body: { title: "Larger disks" } }),
  "POST /maintenance/{id}/complete": async (account) => {
    const start_time = new Date(Date.now() - 60_000).toISOString();
    return { params: { id: await createMaintenance(account, { start_time }) } };
  },
  "POST /maintenance/{id}/occurrences/{start}/cancel": async (account) => {
    const id = await OBJECTS.maintenance(account);
    const { body } = await account.client.get(`${V1}/maintenance/${id}`);
    return { params: { id, start: body.next_occurrence.start } };
  },
  "POST /maintenance/{id}/updates": async () => ({ body: { message: "Halfway." } }),
  "PUT /maintenance/{id}/updates/{update_id}": withMaintenanceUpdate,
  "DELETE /maintenance/{id}/updates/{update_id}": withMaintenanceUpdate,
  "POST /heartbeat/{monitor_id}": byHeartbeat,
  "GET /heartbeat/{monitor_id}": byHeartbeat,
  "PUT /monitors/{id}/push-alias": async ({ client }) => ({
    params: { id: (await createMonitor(client, { type: "heartbeat", target: undefined })).id },
    body: { token: newId() },
  }),
  "POST /monitors/{id}/regenerate-heartbeat-token": async ({ client }) => ({
    params: { id: (await createMonitor(client, { type: "heartbeat", target: undefined })).id },
  }),
  "POST /api-monitoring/push": async (account) => ({ ...(await byPushKey(account, API)), body: { latency_ms: 12 } }),
  "GET /api-monitoring/monitors/{id}": pushed(API),
  "PUT /api-monitoring/monitors/{id}/config": pushed(API, { interval: 120 }),
  "GET /api-monitoring/monitors/{id}/metrics": pushed(API),
  "POST /api-monitoring/monitors/{id}/regenerate-key": pushed(API),
  "POST /game-server/push": async (account) => ({ ...(await byPushKey(account, GAME)), body: { player_count: 3 } }),
  "GET /game-server/monitors/{id}": pushed(GAME),
  "PUT /game-server/monitors/{id}/config": pushed(GAME, { interval: 120 }),
  "GET /game-server/monitors/{id}/metrics": pushed(GAME),
  "GET /game-server/monitors/{id}/plugin": pushed(GAME),
  "POST /game-server/monitors/{id}/regenerate-key": pushed(GAME),
  "POST /webhooks": async () => ({ body: { name: "Ops", url: "https://sink.test/ops", secret: "s3cret-s3cret" } }),
  "PUT /webhooks/{id}": async () => ({ body: { name: "Night shift" } }),
  "GET /subscribers": async (account) => ({ query: { status_page_id: await OBJECTS.page(account) } }),
  "PUT /status-pages/{id}/ssl": async () => ({ body: { custom_domain: `status-${newId()}.example.com` } }),
  "PUT /status-pages/{id}/sla-targets": async () => ({
    body: { targets: [{ monitor_id: null, target_percentage: 99.5 }] },
  }),
  "PUT /status-pages/{id}/sla-policy": async (account) => ({ body: { policy_id: await OBJECTS.sla_policy(account) } }),
  "POST /sla-policies": async () => ({ body: SLA_POLICY }),
  "PUT /sla-policies/{id}": async () => ({ body: { target_percentage: 99 } }),
  "POST /agents": async () => ({ body: { name: "Rack", region: "eu" } }),
  "PUT /agents/{agent_id}": async () => ({ body: { name: "Cellar" } }),
  "POST /agents/{agent_id}/commands": async () => ({ body: { type: "discover" } }),
  "GET /agents/{agent_id}/commands/{command_id}": withQueuedCommand,
  "POST /agents/{agent_id}/discoveries/{discovery_id}/monitor": async (account) => ({
    ...(await withDiscovery(account)),
    body: { name: "Cache", paused: true },
  }),
  "POST /agents/enroll": async ({ client }) => ({
    headers: { [AGENT_HEADER]: (await client.get(`${V1}/agents/token`)).body.install_token },
    body: { name: newId(), hostname: newId() },
  }),
  "POST /agents/handshake": async (account) => ({ ...(await byAgent(account)), body: { version: "1.0.0" } }),
  "GET /agents/monitors": byAgent,
  "GET /agents/commands": async (account) => ({ ...(await byAgent(account)), query: { wait: "0" } }),
  "POST /agents/metrics": async (account) => ({ ...(await byAgent(account)), body: { cpu_percent: 12 } }),
  "POST /agents/events": async (account) => ({ ...(await byAgent(account)), body: { events: [{ message: "up" }] } }),
  "POST /agents/discoveries": async (account) => ({
    ...(await byAgent(account)),
    body: { discoveries: [{ kind: "redis", name: "cache", target: "127.0.0.1:6379" }] },
  }),
  "POST /agents/commands/{id}/ack": async (account) => {
    const { id, headers } = await createCommand(account);
    return { headers, params: { id }, body: { ok: true } };
  },
  "POST /monitors/{id}/status": async (account) => {
    const { agent_id, headers } = await enrollAgent(account);
    const { id } = await createMonitor(account.client, { agent_id, paused: true });
    return { headers, params: { id }, body: { status: "up", latency_ms: 12 } };
  },
  "POST /agents/results": async (account) => {
    const { agent_id, headers } = await enrollAgent(account);
    const { id } = await createMonitor(account.client, { agent_id, paused: true });
    return { headers, body: { results: [{ monitor_id: id, status: "up", latency_ms: 12 }] } };
  },
  "POST /status-pages/{id}/alert-setup": async () => ({ body: { name: "Ops", url: "https://sink.test/ops" } }),
  "PUT /status-pages/{status_page_id}/alert-setup/{id}": withAlertSetup,
  "DELETE /status-pages/{status_page_id}/alert-setup/{id}": withAlertSetup,
  "POST /status-pages/{status_page_id}/alert-setup/{id}/test": withAlertSetup,
  "GET /status-pages/{status_page_id}/alert-setup/{id}/deliveries": withAlertSetup,
  "POST /status-pages/{status_page_id}/alert-setup/{id}/deliveries/{delivery_id}/redeliver": async (account) => {
    const { params, body } = await withAlertSetup(account);
    await account.client.post(`${V1}/webhooks/${params.id}/test`);
    const attempts = await account.client.get(`${V1}/webhooks/${params.id}/deliveries`);
    return { params: { ...params, delivery_id: attempts.body[0].id }, body };
  },
  "POST /webhooks/{id}/deliveries/{delivery_id}/redeliver": async (account) => {
    const id = await OBJECTS.webhook(account);
    await account.client.post(`${V1}/webhooks/${id}/test`);
    const { body } = await account.client.get(`${V1}/webhooks/${id}/deliveries`);
    return { params: { id, delivery_id: body[0].id } };
  },
};

/** Requests that name an object by its key. `make` gives what the body has to name besides. */
function byKey(
  path: string,
  change: Record<string, unknown>,
  make: (account: Account, external_key: string) => Promise<Record<string, unknown> | undefined>,
): typeof EXAMPLES {
  const example = async (account: Account): Promise<Example> => {
    const external_key = `key-${newId()}`;
    const named = await make(account, external_key);
    return { params: { external_key }, body: { ...change, ...named } };
  };
  return Object.fromEntries(
    ["GET", "PUT", "DELETE"].map((method) => [`${method} /${path}/by-key/{external_key}`, example]),
  );
}

/** One that is not asked before it is saved. */
const providerOf = (id: string) => ({ id, kind: "github", issuer: `https://${id}.example`, client_id: "vigil" });

async function withProvider(account: Account): Promise<Example> {
  await makeOperator(account);
  const { body } = await account.client.post(`${CORE}/sign-in-providers`, providerOf(newId()));
  return { params: { id: body.id } };
}

async function makeOperator({ user_id }: Account): Promise<void> {
  await openDb(env.DB).update(users).set({ operator: true }).where(eq(users.id, user_id));
}

async function withPasskey(account: Account): Promise<string> {
  await insertPassword(account);
  return (await addPasskey(account.client, createDevice())).id;
}

async function setUpTotp(account: Account): Promise<string> {
  await insertPassword(account);
  return (await account.client.post(`${CORE}/auth/totp/setup`, { password: PASSWORD })).body.secret;
}

async function withAlertSetup(account: Account) {
  const status_page_id = await createPage(account);
  const { id } = await createWebhook(account, { status_page_id });
  return { params: { status_page_id, id }, body: { name: "Night shift" } };
}

async function byHeartbeat({ client }: Account): Promise<Example> {
  const { id, heartbeat_token } = await createMonitor(client, { type: "heartbeat", target: undefined });
  return { headers: { authorization: `Bearer ${heartbeat_token}` }, params: { monitor_id: id } };
}

async function byPushKey({ client }: Account, type: Record<string, unknown>): Promise<Example> {
  const { push_key } = await createMonitor(client, type);
  return { headers: { authorization: `Bearer ${push_key}` } };
}

function pushed(type: Record<string, unknown>, body?: Record<string, unknown>) {
  return async ({ client }: Account): Promise<Example> => ({
    params: { id: (await createMonitor(client, type)).id },
    ...(body && { body }),
  });
}

async function enrollAgent({ client }: Account) {
  const install = (await client.get(`${V1}/agents/token`)).body.install_token;
  const words = { name: newId(), hostname: newId() };
  const { body } = await client.post(`${V1}/agents/enroll`, words, { [AGENT_HEADER]: install });
  const agent_id: string = body.agent_id;
  return { agent_id, headers: { [AGENT_HEADER]: String(body.agent_token) } };
}

async function byAgent(account: Account): Promise<Example> {
  const { headers } = await enrollAgent(account);
  return { headers };
}

async function createCommand(account: Account) {
  const { agent_id, headers } = await enrollAgent(account);
  const { body } = await account.client.post(`${V1}/agents/${agent_id}/commands`, { type: "discover" });
  const id: string = body.id;
  return { id, headers };
}

async function withQueuedCommand(account: Account) {
  const agent_id = await OBJECTS.agent(account);
  const { body } = await account.client.post(`${V1}/agents/${agent_id}/commands`, { type: "discover" });
  const command_id: string = body.id;
  return { params: { agent_id, command_id } };
}

async function withDiscovery(account: Account) {
  const { agent_id, headers } = await enrollAgent(account);
  const discoveries = [{ kind: "redis", name: "cache", target: "127.0.0.1:6379" }];
  await account.client.post(`${V1}/agents/discoveries`, { discoveries }, headers);
  const { body } = await account.client.get(`${V1}/agents/${agent_id}/discoveries`);
  const discovery_id: string = body[0].id;
  return { params: { agent_id, discovery_id } };
}

async function createIncident(account: Account, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { status_page_id: await createPage(account), title: "Trouble", ...fields };
  return (await account.client.post(`${V1}/incidents`, body)).body.id;
}

async function withUpdate(account: Account): Promise<Example> {
  const id = await createIncident(account);
  const update = await account.client.post(`${V1}/incidents/${id}/updates`, { message: "We look." });
  return { params: { id, update_id: update.body.id }, body: { message: "We looked." } };
}

async function withTemplate(account: Account): Promise<Example> {
  const id = await createPage(account);
  const body = { name: "Slow", title: "It is slow" };
  const template = await account.client.post(`${V1}/status-pages/${id}/incident-templates`, body);
  return { params: { id, template_id: template.body.id }, body: { name: "Very slow" } };
}

const POLICY = {
  name: "Night",
  is_default: true,
  steps: [{ level: 1, wait_minutes: 0, contacts: [{ type: "email", value: "ops@shop.example", label: "Ops" }] }],
};

async function withPolicy(account: Account) {
  const id = await createPage(account);
  const { body } = await account.client.post(`${V1}/status-pages/${id}/on-call/policies`, POLICY);
  return { params: { id, policy_id: body.id }, body: { name: "Day" } };
}

/** As the consumer of the incident's event inserts it, which may still be under way. */
async function insertEscalationOf(
  { user_id }: Account,
  { id, status_page_id }: { id: string; status_page_id: string },
) {
  const at = Date.now();
  const escalation = {
    id: escalationId(id),
    owner_id: user_id,
    status_page_id,
    incident_id: id,
    policy_id: null,
    state: null,
    revision: 0,
    failures: 0,
    started_at: at,
    snoozed_until: null,
    due_at: null,
    created_at: at,
    updated_at: at,
    subject: null,
    thread_id: null,
    monitor_id: null,
    transition_seq: null,
    ended_at: null,
    is_automatic: false,
    acknowledged_at: null,
    acknowledged_by: null,
    bundle_id: null,
    bundled_at: null,
  };
  const db = openDb(env.DB);
  await runBatch(db, [insertEscalation(db, escalation)]);
}

async function withEscalation(account: Account) {
  const status_page_id = await createPage(account);
  await account.client.post(`${V1}/status-pages/${status_page_id}/on-call/policies`, POLICY);
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id, title: "Checkout fails" });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await insertEscalationOf(account, body);
  return { params: { id: body.id }, body: { until } };
}

async function withPageEscalation(account: Account) {
  const id = await createPage(account);
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: id, title: "Checkout fails" });
  await insertEscalationOf(account, body);
  return { params: { id, escalation_id: escalationId(body.id) } };
}

async function insertStatusChannelOf(account: Account, service: ChatService): Promise<string> {
  const db = openDb(env.DB);
  const channel = {
    id: newId(),
    owner_id: account.user_id,
    status_page_id: await createPage(account),
    service,
    name: "ops",
    channel_id: newId(),
    created_by: account.user_id,
    created_at: Date.now(),
    updated_at: Date.now(),
  };
  await runBatch(db, [insertStatusChannel(db, channel)]);
  return channel.id;
}

async function withSchedule(account: Account) {
  const id = await createPage(account);
  const { body } = await account.client.post(`${V1}/status-pages/${id}/on-call/schedules`, { name: "Primary" });
  return { params: { id, schedule_id: body.id }, body: { name: "Secondary" } };
}

async function createRule(account: Account) {
  const id = await createPage(account);
  const rule = await account.client.post(`${V1}/status-pages/${id}/events/rules`, RULE);
  const rule_id: string = rule.body.id;
  return { id, rule_id };
}

function withRule(body?: Record<string, unknown>) {
  return async (account: Account): Promise<Example> => ({
    params: await createRule(account),
    ...(body && { body }),
  });
}

function planOf(status_page_id: string) {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  return { status_page_id, title: "New disks", start_time: at(1), end_time: at(2) };
}

async function createMaintenance(account: Account, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { ...planOf(await createPage(account)), ...fields };
  return (await account.client.post(`${V1}/maintenance`, body)).body.id;
}

async function withMaintenanceUpdate(account: Account): Promise<Example> {
  const id = await createMaintenance(account);
  const update = await account.client.post(`${V1}/maintenance/${id}/updates`, { message: "Soon." });
  return { params: { id, update_id: update.body.id }, body: { message: "Very soon." } };
}

export const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">) => `${method.toUpperCase()} ${path}`;

export interface Prepared extends Required<Example> {
  endpoint: Endpoint;
}

/** As much of a valid request as is known; parameters that nobody knows are left out. */
export async function exampleOf(endpoint: Endpoint, account: Account): Promise<Example> {
  const given = (await EXAMPLES[nameOf(endpoint)]?.(account)) ?? {};
  const params = { ...given.params };
  for (const name of paramsOf(endpoint)) {
    const kind = endpoint.policy.ids?.params?.[name];
    if (params[name] === undefined && kind) params[name] = await OBJECTS[baseOf(kind)](account);
  }
  return { ...given, params };
}

/** A valid request to the endpoint by this account; fails where nobody has said what that is. */
export async function prepare(endpoint: Endpoint, account: Account): Promise<Prepared> {
  const given = await EXAMPLES[nameOf(endpoint)]?.(account);
  if (needsBrowser(endpoint)) await browserOf(account.user_id);
  const params: Record<string, string> = {};
  for (const name of paramsOf(endpoint)) {
    const kind = endpoint.policy.ids?.params?.[name];
    const value = given?.params?.[name] ?? (kind && (await OBJECTS[baseOf(kind)](account)));
    if (value === undefined) throw new Error(`add an example request for ${nameOf(endpoint)}: {${name}} is unknown`);
    params[name] = value;
  }
  if (endpoint.route.request?.body && !given?.body) throw new Error(`add an example request for ${nameOf(endpoint)}`);
  return { endpoint, params, headers: given?.headers ?? {}, query: given?.query ?? {}, body: given?.body ?? {} };
}

export function addressOf({ endpoint, params, query = {} }: Pick<Prepared, "endpoint" | "params"> & Example): string {
  const [surface = "root"] = endpoint.policy.at;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? "");
  const search = new URLSearchParams(query).toString();
  return SURFACES[surface] + path + (search === "" ? "" : `?${search}`);
}

export async function send(
  account: Pick<Account, "client"> & { user_id?: string },
  prepared: Prepared,
  headers?: Record<string, string>,
) {
  const { endpoint, body } = prepared;
  const { user_id } = account;
  const browser = user_id !== undefined && needsBrowser(endpoint) ? await browserOf(user_id) : {};
  const { route, policy, method } = endpoint;
  const sent = route.request?.body || (policy.ownBody && method !== "get") ? body : undefined;
  return account.client.request(endpoint.method.toUpperCase(), addressOf(prepared), sent, {
    ...browser,
    ...prepared.headers,
    ...headers,
  });
}

/** Some endpoints serve only people who have just signed in. */
export function needsBrowser({ policy }: Endpoint): boolean {
  return policy.onAuthenticated === requireRecentPassword;
}

const browsers = new Map<string, Promise<Record<string, string>>>();

/** One for each account, so that a repeated request leaves no second session. */
function browserOf(user_id: string): Promise<Record<string, string>> {
  const known = browsers.get(user_id) ?? insertBrowser({ user_id });
  browsers.set(user_id, known);
  return known;
}

export function baseOf(kind: IdKind): Kind {
  // The part before the colon of an IdKind is a Kind by definition.
  return kind.split(":")[0] as Kind;
}

function paramsOf(endpoint: Endpoint): string[] {
  return [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}

/** A page of somebody else that this account may accept or decline, as the token of the mail. */
async function offerPageTo(account: Account): Promise<string> {
  const owner = await createAccount();
  const id = await createPage(owner);
  await joinPage(account, id, { role: "editor" });
  const headers = await insertBrowser(owner);
  await owner.client.request("POST", `${V1}/status-pages/${id}/transfer`, { user_id: account.user_id }, headers);
  return transferTokenOf(emailOf(account));
}
