import { env } from "cloudflare:workers";

/** Inserts rows by one statement: `columns` are SQL expressions over `i`, the row's number. */
export async function insertMany(table: string, count: number, columns: Record<string, string | number>) {
  await env.DB.prepare(
    `INSERT INTO ${table} (${Object.keys(columns).join(", ")})
      WITH RECURSIVE rows(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM rows WHERE i < ${count - 1})
      SELECT ${Object.values(columns).join(", ")} FROM rows`,
  ).run();
}

/** The id of a row, in the order of its number. */
const idOf = (prefix: string) => `printf('${prefix}-%06d', i)`;
const OWNER = "'owner'";
/** Owns the webhooks alone, so that no event of the others fans out to them. */
const RECEIVER = "'receiver'";
/** Is reminded of outages by a webhook of its own. */
const REMINDED = "'reminded'";
/** Is sent the audit log by a webhook of its own. */
const AUDITED = "'audited'";
const DAY_MS = 86_400_000;

/** Columns of a monitor without a default. */
export function monitorColumns(prefix: string, at: number, change: Record<string, string | number> = {}) {
  return {
    id: idOf(prefix),
    owner_id: OWNER,
    created_by: OWNER,
    name: idOf(prefix),
    type: "'http'",
    target: "'http://127.0.0.1:9/'",
    interval: 60,
    timeout_seconds: 10,
    failure_threshold: 2,
    recovery_threshold: 1,
    shard_id: "'shard'",
    check_group_id: "'shard/60/any/normal'",
    status: "'up'",
    status_since: at,
    synced_version: 1,
    created_at: at,
    updated_at: at,
    ...change,
  };
}

/** As many rows as asked in every table of which a part of the minute processes what is due. */
export async function createBacklog(now: number, count: number): Promise<void> {
  const times = { created_at: now - DAY_MS, updated_at: now - DAY_MS };
  const old = { created_at: now - 1000 * DAY_MS, updated_at: now - 1000 * DAY_MS };
  for (const id of [OWNER, RECEIVER, REMINDED, AUDITED])
    await insertMany("users", 1, { id, email: id, name: id, ...old });
  const pages = { id: idOf("page"), owner_id: OWNER, created_by: OWNER, name: "'Page'", slug: idOf("slug") };
  await insertMany("status_pages", count, { ...pages, ...times });
  await insertMonitors(now, count);
  await insertDeliveries(now, count);
  await insertEscalations(now, count);
  await insertMany("maintenance", count, {
    id: idOf("window"),
    owner_id: OWNER,
    created_by: OWNER,
    status_page_id: idOf("page"),
    title: "'Window'",
    is_public: 1,
    start_time: now - 1000,
    end_time: now + DAY_MS,
    recurrence_type: "'none'",
    recurrence_interval: 1,
    done_until: 0,
    occurrence_start_at: now - 1000,
    occurrence_end_at: now + DAY_MS,
    next_edge_at: now - 1000,
    ...times,
  });
  await insertMany("on_call_schedules", count, {
    id: idOf("schedule"),
    owner_id: OWNER,
    created_by: OWNER,
    status_page_id: idOf("page"),
    name: "'Primary'",
    timezone: "'UTC'",
    is_active: 1,
    shifts: "'[]'",
    rotations: "'[]'",
    overrides: "'[]'",
    ...times,
  });
  await insertMany("sessions", count, {
    id: idOf("session"),
    user_id: OWNER,
    token_hash: idOf("session"),
    last_used_at: old.created_at,
    ...old,
  });
  await insertMany("page_invitations", count, {
    id: idOf("invitation"),
    status_page_id: idOf("page"),
    email: "'a@example.com'",
    role: "'viewer'",
    token_hash: idOf("invitation"),
    invited_by: OWNER,
    expires_at: old.created_at,
    ...old,
  });
  await insertMany("idempotency_keys", count, {
    user_id: OWNER,
    route: "'POST /monitors'",
    key: idOf("key"),
    body_hash: "''",
    status: 201,
    created_at: old.created_at,
  });
  await insertMany("custom_domains", count, {
    hostname: `${idOf("host")} || '.example.com'`,
    owner_id: OWNER,
    status_page_id: idOf("page"),
    ssl_type: "'none'",
    status: "'pending'",
    proof: idOf("proof"),
    claimed_at: now - 1000,
    next_check_at: now - 1000,
    ...times,
  });
}

async function insertEscalations(now: number, count: number): Promise<void> {
  const times = { created_at: now - 60_000, updated_at: now - 60_000 };
  await insertMany("incidents", count, {
    id: idOf("incident"),
    owner_id: OWNER,
    status_page_id: idOf("page"),
    title: "'Down'",
    severity: "'major'",
    status: "'investigating'",
    is_public: 1,
    started_at: now - 60_000,
    ...times,
  });
  await insertMany("escalations", count, {
    id: idOf("escalation"),
    owner_id: OWNER,
    status_page_id: idOf("page"),
    incident_id: idOf("incident"),
    started_at: now - 60_000,
    due_at: now - 1000,
    ...times,
  });
  await insertMany("escalation_notifications", count, {
    id: idOf("notice"),
    escalation_id: idOf("escalation"),
    notification_key: "'1'",
    level: 1,
    contact_type: "'email'",
    label: "''",
    sealed: "''",
    state: "'pending'",
    next_attempt_at: now - 1000,
    ...times,
  });
}

async function insertMonitors(now: number, count: number): Promise<void> {
  const at = now - DAY_MS;
  const insert = (prefix: string, change: Record<string, string | number>) =>
    insertMany("monitors", count, monitorColumns(prefix, at, change));
  await insert("unsynced", { synced_version: 0 });
  await insert("expiry", { expiry_notice_at: 0, certificate_expires_at: now + 10 * DAY_MS });
  await insert("retry", { retry_at: now - DAY_MS });
  const group = (prefix: string, lane: string) => `${idOf(prefix)} || '/60/any/${lane}'`;
  await insert("sparse", { shard_id: idOf("sparse"), check_group_id: group("sparse", "normal") });
  await insertMany("shards", count, { id: idOf("sparse"), interval: 60, regions: "''", size: 1 });
  await insert("hanging", { shard_id: idOf("hanging"), check_group_id: group("hanging", "slow") });
  await insertMany("check_groups", count, {
    id: group("hanging", "slow"),
    shard_id: idOf("hanging"),
    interval: 60,
    regions: "'[]'",
    lane: "'slow'",
    last_slot_at: now,
  });
  await insert("push", { type: "'heartbeat'", check_group_id: "''" });
  await insertMany("deleted_monitors", count, { monitor_id: idOf("deleted") });

  await insert("held", { status: "'down'", status_page_id: idOf("page"), state_seq: 1 });
  await insertMany("transitions", count, {
    monitor_id: idOf("held"),
    seq: 1,
    from_status: "'up'",
    to_status: "'down'",
    decided_at: at,
    effective_at: at,
    message: "'refused'",
    outage_seq: 1,
  });
  await insertMany("held_outages", count, { monitor_id: idOf("held"), outage_seq: 1, held_by: "'gone'" });
  await insert("reminded", { owner_id: REMINDED, status: "'down'", state_seq: 1 });
  await insertMany("transitions", count, {
    monitor_id: idOf("reminded"),
    seq: 1,
    from_status: "'up'",
    to_status: "'down'",
    decided_at: at,
    effective_at: at,
    message: "'refused'",
    outage_seq: 1,
  });
  await insertMany("outages", count, {
    id: idOf("outage"),
    monitor_id: idOf("reminded"),
    seq: 1,
    started_at: at,
    cause: "'refused'",
    in_maintenance: 0,
  });
  await insertMany("webhooks", 1, {
    id: "'auditing'",
    owner_id: AUDITED,
    created_by: AUDITED,
    name: "'Hook'",
    provider: "'generic'",
    sealed: "''",
    audit_from: at,
    created_at: at,
    updated_at: at,
  });
  await insertMany("audit_log", count, {
    id: idOf("audit"),
    owner_id: AUDITED,
    event_type: "'page.updated'",
    actor_type: "'user'",
    actor_name: "'Ann'",
    target_type: "'status_page'",
    summary: "'changed'",
    created_at: at,
  });
  await insertMany("webhooks", 1, {
    id: "'reminding'",
    owner_id: REMINDED,
    created_by: REMINDED,
    name: "'Hook'",
    provider: "'generic'",
    sealed: "''",
    remind_every_minutes: 5,
    created_at: at,
    updated_at: at,
  });

  const agent = { id: idOf("agent"), owner_id: OWNER, created_by: OWNER, name: idOf("agent"), status: "'online'" };
  const times = { created_at: at, updated_at: at };
  await insertMany("agents", count, { ...agent, last_seen_at: at, ...times });
  await insert("measured", { agent_id: idOf("agent"), check_group_id: "''" });
  const packed = `json_array(json_array(${idOf("measured")}, ${at}, 5, '', 'default', 'success', ${at}, ${at + 180_000}))`;
  await insertMany("agent_latest", count, { agent_id: idOf("agent"), latest: packed, look_at: at + 180_000 });
  await insertMany("install_tokens", count, {
    id: idOf("install"),
    token_hash: idOf("install"),
    owner_id: OWNER,
    created_by: OWNER,
    expires_at: now - 1,
    created_at: at,
  });
}

async function insertDeliveries(now: number, count: number): Promise<void> {
  const old = { created_at: now - 100 * DAY_MS, updated_at: now - 100 * DAY_MS };
  const due = { created_at: now - 60_000, updated_at: now - 60_000, next_attempt_at: now - 60_000 };
  await insertMany("webhooks", count, {
    id: idOf("webhook"),
    owner_id: RECEIVER,
    created_by: RECEIVER,
    name: "'Hook'",
    provider: "'generic'",
    sealed: "''",
    failing_since: now - 2 * DAY_MS,
    ...old,
  });
  const delivery = { webhook_id: idOf("webhook"), event_id: "'event'", event_name: "'monitor.up'" };
  await insertMany("deliveries", count, { id: idOf("due"), ...delivery, state: "'pending'", ...due });
  await insertMany("deliveries", count, { id: idOf("old"), ...delivery, state: "'delivered'", ...old });
  await insertMany("events", count, {
    id: idOf("event"),
    owner_id: OWNER,
    name: "'monitor.up'",
    classification: "'public'",
    data: "'{}'",
    created_at: now - 60_000,
  });
  await insertMany("mail_outbox", count, { id: idOf("due"), sealed: "''", ...due });
  await insertMany("mail_outbox", count, { id: idOf("old"), state: "'sent'", next_attempt_at: 0, ...old });
  const subscriber = { owner_id: OWNER, channel: "'email'", endpoint_masked: "''", status_page_id: idOf("page") };
  const subscribed = { id: idOf("subscriber"), endpoint_hash: "'kept'", confirmed_at: 1, ...subscriber, ...old };
  await insertMany("subscribers", count, subscribed);
  const asked = { id: idOf("asked"), endpoint_hash: "'asked'", requested_at: 1, ...subscriber, ...old };
  await insertMany("subscribers", count, asked);
  const message = { subscriber_id: idOf("subscriber"), kind: "'news'", news: "'{}'" };
  await insertMany("subscriber_messages", count, { id: idOf("due"), ...message, ...due });
  await insertMany("subscriber_messages", count, {
    id: idOf("old"),
    ...message,
    state: "'sent'",
    next_attempt_at: 0,
    ...old,
  });
}
