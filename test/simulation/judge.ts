import { GRACE_MS, HEARTBEAT_EVERY_MS, type World } from "./day.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the service promises while the platform fails it, and while it does not. */
const BOUND_UNDER_FAULTS_MS = 15 * MINUTE;
const BOUND_MS = 4 * MINUTE;
/** How long after the last fault the shorter bound holds. */
const CALM_AFTER_MS = 20 * MINUTE;
/** From when a check began to when the target answered it. */
const CHECK_MS = 20 * SECOND;
const TRAIL = 60;

/** The settings that a monitor gets where nobody says otherwise. */
const FAILURES = 3;
const SUCCESSES = 2;

/** A promise that did not hold. */
export class Violation extends Error {}

interface Row {
  [column: string]: unknown;
}

/**
 * Compares what the service says with what is really so. It knows the product's promises, none of its code: outages from
 * what targets answered and jobs sent, announcements from what receivers got.
 */
export class Judge {
  readonly #world: World;
  #lastFaultAt: number;
  #faultsSeen = 0;

  constructor(world: World) {
    this.#world = world;
    this.#lastFaultAt = world.service.clock.now;
  }

  /** Holds at every minute. */
  judgeMinute(): void {
    const { service, site, job, site_id, job_id } = this.#world;
    const { now } = service.clock;
    this.#noteFaults(now);
    const bound = now - this.#lastFaultAt > CALM_AFTER_MS ? BOUND_MS : BOUND_UNDER_FAULTS_MS;
    const { state, from } = site.truth.at(now);
    if (now - from > bound) this.#expectStatus(site_id, state === "well" ? "up" : "down");
    const last = job.acknowledged.at(-1);
    if (last) {
      const silence = now - last.answeredAt;
      if (silence > 2 * (HEARTBEAT_EVERY_MS + GRACE_MS) + bound) this.#expectStatus(job_id, "down");
      if (this.#wasHeardFor(bound, now)) this.#expectStatus(job_id, "up");
    }
    this.#expectChecked(now, bound);
  }

  /** Holds once nothing has gone wrong for a while: everything that was begun is done. */
  async judgeSettled(): Promise<void> {
    this.#judgeIntervals();
    this.#judgeOutages();
    this.#judgeAnnouncements();
    this.#judgeWork();
    await this.#judgeHeartbeats();
  }

  /** What happened and what the service wrote last, oldest first. */
  get trail(): string[] {
    const rows = [
      ...this.#read(
        "SELECT decided_at AS at, monitor_id || ' ' || from_status || ' > ' || to_status || ': ' || message AS what FROM transitions",
      ),
      ...this.#read("SELECT created_at AS at, 'event ' || name || ' ' || coalesce(monitor_id, '') AS what FROM events"),
      ...this.#read(
        "SELECT updated_at AS at, 'delivery ' || state || ' ' || event_name || ' ' || webhook_id AS what FROM deliveries",
      ),
      ...this.#world.service.faults.recent,
      ...this.#world.site.answered.map(({ at, isWell }) => ({ at, what: `Shop answers ${isWell ? "well" : "badly"}` })),
    ];
    return rows
      .sort((a, b) => Number(a.at) - Number(b.at))
      .slice(-TRAIL)
      .map(({ at, what }) => `${timeOf(at)} ${what}`);
  }

  #read(sql: string, ...values: unknown[]): Row[] {
    return this.#world.service.database.read(sql, ...values);
  }

  #fail(invariant: string, detail: string): never {
    throw new Violation(`${timeOf(this.#world.service.clock.now)} ${invariant}: ${detail}`);
  }

  #noteFaults(now: number): void {
    const total = [...this.#world.service.faults.counts.values()].reduce((sum, count) => sum + count, 0);
    if (total !== this.#faultsSeen) this.#lastFaultAt = now;
    this.#faultsSeen = total;
  }

  #expectStatus(monitorId: string, expected: string): void {
    const [row] = this.#read("SELECT name, status, status_message FROM monitors WHERE id = ?", monitorId);
    if (row?.status === expected) return;
    this.#fail("the verdict is that of the reference", `${row?.name} is ${row?.status}, not ${expected}`);
  }

  /** Whether no heartbeat was missing for so long. */
  #wasHeardFor(ms: number, now: number): boolean {
    let before = now;
    for (const { sentAt, answeredAt } of this.#world.job.acknowledged.toReversed()) {
      if (before - sentAt > HEARTBEAT_EVERY_MS + GRACE_MS) return false;
      if (sentAt < now - ms) return true;
      before = answeredAt;
    }
    return false;
  }

  #expectChecked(now: number, bound: number): void {
    const [late] = this.#read("SELECT id, last_slot_at FROM check_groups WHERE last_slot_at < ?", now - bound);
    if (late) this.#fail("what is due is done", `no check since ${timeOf(late.last_slot_at)}`);
  }

  #judgeIntervals(): void {
    for (const monitor of [this.#world.site_id, this.#world.job_id]) {
      const intervals = this.#read(
        "SELECT * FROM status_intervals WHERE monitor_id = ? ORDER BY from_at, seq",
        monitor,
      );
      for (const [n, interval] of intervals.entries()) {
        const next = intervals[n + 1];
        if (interval.to_at !== (next?.from_at ?? null)) {
          this.#fail(
            "intervals neither overlap nor have holes",
            `${interval.status} ${timeOf(interval.from_at)} to ${timeOf(interval.to_at)}, then ${timeOf(next?.from_at)}`,
          );
        }
      }
      const transitions = this.#read("SELECT * FROM transitions WHERE monitor_id = ? ORDER BY seq", monitor);
      for (const [n, { seq, from_status }] of transitions.entries()) {
        const before = transitions[n - 1]?.to_status ?? "pending";
        if (seq !== n + 1 || from_status !== before) {
          this.#fail("every change is recorded once", `change ${seq} from ${from_status} follows one to ${before}`);
        }
      }
    }
  }

  /** An outage is one: the target had failed as often as it takes, and recovered so, too. */
  #judgeOutages(): void {
    const { site, job, site_id, job_id } = this.#world;
    const changes = this.#read(
      `SELECT outages.monitor_id, started_at, ended_at, begun.decided_at AS begun_at, over.decided_at AS over_at
        FROM outages JOIN transitions AS begun ON begun.monitor_id = outages.monitor_id AND begun.seq = outages.seq
        LEFT JOIN transitions AS over ON over.monitor_id = outages.monitor_id AND over.outage_seq = outages.seq
          AND over.to_status = 'up'`,
    );
    for (const { monitor_id, started_at, ended_at, begun_at, over_at } of changes) {
      const [from, to] = [Number(started_at), Number(begun_at)];
      if (monitor_id === site_id) {
        const count = (isWell: boolean, since: number, until: number) =>
          site.answered.filter((each) => each.isWell === isWell && each.at >= since && each.at <= until).length;
        if (count(false, from, to) < FAILURES) this.#fail("no false alarm", `Shop was down from ${timeOf(from)}`);
        if (ended_at !== null && count(true, Number(ended_at), Number(over_at)) < SUCCESSES)
          this.#fail("no false all-clear", `Shop was up from ${timeOf(ended_at)}`);
      }
      if (monitor_id === job_id) {
        const heard = job.acknowledged.find(
          ({ sentAt, answeredAt }) => sentAt > from - HEARTBEAT_EVERY_MS && answeredAt < to,
        );
        if (heard) this.#fail("no false alarm", `a heartbeat of ${timeOf(heard.sentAt)} came before ${timeOf(to)}`);
      }
      if (ended_at === null) this.#fail("every outage ends", `${monitor_id} since ${timeOf(from)}`);
      if (
        monitor_id === site_id &&
        ![...site.answered].some(({ at, isWell }) => !isWell && Math.abs(at - from) < CHECK_MS)
      )
        this.#fail("an outage begins with its first failure", timeOf(from));
    }
  }

  #judgeAnnouncements(): void {
    const outages = this.#read("SELECT monitor_id || '/' || seq AS id, started_at FROM outages");
    for (const [n, receiver] of this.#world.receivers.entries()) {
      const { received } = receiver;
      for (const { id, started_at } of outages) {
        for (const event of ["monitor.down", "monitor.up"]) {
          const told = received.filter((each) => each.event === event && each.outage_id === id).length;
          if (told !== 1) {
            const detail = `receiver ${n} got ${told} times ${event} of the outage of ${timeOf(started_at)}`;
            this.#fail("every outage is announced exactly once", detail);
          }
        }
      }
      const known = new Set(outages.map(({ id }) => id));
      const stray = received.find(({ outage_id }) => outage_id !== null && !known.has(outage_id));
      if (stray) this.#fail("no all-clear without an alarm", `${stray.event} of ${stray.outage_id}`);
    }
  }

  #judgeWork(): void {
    const { now } = this.#world.service.clock;
    const overdue = now - BOUND_MS;
    const [delivery] = this.#read("SELECT * FROM deliveries WHERE state = 'pending' AND next_attempt_at < ?", overdue);
    if (delivery) this.#fail("what is due is done", `delivery ${delivery.id} of ${delivery.event_name} waits`);
    const [event] = this.#read("SELECT * FROM events WHERE processed_at IS NULL AND created_at < ?", overdue);
    if (event) this.#fail("what is due is done", `event ${event.name} of ${timeOf(event.created_at)} waits`);
    const [monitor] = this.#read("SELECT * FROM monitors WHERE config_version <> synced_version");
    if (monitor) this.#fail("what is due is done", `${monitor.name} does not know its settings`);
  }

  async #judgeHeartbeats(): Promise<void> {
    const { service, job, job_id } = this.#world;
    const object = service.objects.find("MONITOR", job_id);
    const log = (await service.await(object.invoke("pushes", [job_id, { limit: 1_000, range: null }]))) as {
      entries: { received_at: number }[];
    };
    const oldest = log.entries.length < 1_000 ? 0 : (log.entries.at(-1)?.received_at ?? 0);
    const kept = log.entries.map(({ received_at }) => received_at);
    for (const { sentAt, answeredAt } of job.acknowledged) {
      if (sentAt < oldest || kept.some((at) => at >= sentAt && at <= answeredAt)) continue;
      this.#fail("what was acknowledged is kept", `the heartbeat of ${timeOf(sentAt)} is lost`);
    }
  }
}

function timeOf(at: unknown): string {
  return typeof at === "number" ? new Date(at).toISOString() : "never";
}
