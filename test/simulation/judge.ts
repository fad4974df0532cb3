import { GRACE_MS, HEARTBEAT_EVERY_MS, MONITORS_PATH, PAGE_PATH, type Watched, type World } from "./day.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the service promises while the platform fails it, and while it does not. */
const BOUND_UNDER_FAULTS_MS = 15 * MINUTE;
const BOUND_MS = 4 * MINUTE;
/** How long after the last fault the shorter bound holds. */
const CALM_AFTER_MS = 20 * MINUTE;
/** A site that is checked every minute is unknown after not much more than this. */
const UNSEEN_MS = 2.5 * MINUTE;
/** By when receivers hear of an outage that nothing but the death of an isolate holds up. */
const ANNOUNCED_WITHIN_MS = 45 * SECOND;
/** How long a job waits for the answer to a heartbeat, although objects may hang. */
const ANSWERED_WITHIN_MS = 10 * SECOND;
/** From when a check began to when the target answered it. */
const CHECK_MS = 20 * SECOND;
/** Two messages for one slot check it at about the same time. */
const SAME_SLOT_MS = 30 * SECOND;
/** So long an agent outside is heard, and no sooner than this an outage that did not begin is asked about again. */
const HEARD_FOR_MS = 4.5 * SECOND;
const BETWEEN_QUESTIONS_MS = 30 * SECOND;
const TRAIL = 60;

/** A promise that did not hold. */
export class Violation extends Error {}

interface Outage {
  /** As events name it. */
  id: string;
  monitor_id: string;
  started_at: number;
  ended_at: number | null;
  /** When it was decided that it began, and that it was over. */
  begun_at: number;
  over_at: number | null;
  over_from: string | null;
}

const CHANGES = ["monitor.down", "monitor.up"];

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
  /** When which checks were made, as lists showed the last ones: by monitor. */
  readonly #shown = new Map<string, Set<number>>();

  constructor(world: World) {
    this.#world = world;
    this.#lastFaultAt = world.service.clock.now;
  }

  /** Holds at every minute. */
  judgeMinute(): void {
    const { service, watched, job, job_id } = this.#world;
    const { now } = service.clock;
    this.#noteFaults(now);
    const bound = now - this.#lastFaultAt > CALM_AFTER_MS ? BOUND_MS : BOUND_UNDER_FAULTS_MS;
    for (const { id, site } of watched) {
      const { state, from } = site.truth.at(now);
      const isHeard = this.#world.isCalm && this.#faultsSeen === 0;
      if (now - from > bound && !isUnseen(site, now)) this.#expectStatus(id, ...site.statusesOf(state, isHeard));
    }
    const last = job.acknowledged.at(-1);
    if (last) {
      const silence = now - last.answeredAt;
      if (silence > 2 * (HEARTBEAT_EVERY_MS + GRACE_MS) + bound) this.#expectStatus(job_id, "down");
      if (this.#wasHeardFor(bound, now)) this.#expectStatus(job_id, "up");
    }
    this.#expectChecked(now, bound);
    this.#expectAnswered();
    this.#noteShown();
  }

  /** Holds once nothing has gone wrong for a while: everything that was begun is done. */
  async judgeSettled(): Promise<void> {
    this.#judgeIntervals();
    this.#judgeOutages();
    this.#judgeAnnouncements();
    if (this.#world.isCalm) this.#judgeDelays();
    this.#judgeIncidents();
    this.#judgeWork();
    await this.#judgeHeartbeats();
    await this.#judgeHistory();
    await this.#judgePage();
    await this.#judgeList();
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
      ...this.#world.outside.answers.map(({ noted_at, isReached }) => ({
        at: noted_at,
        what: `an agent outside ${isReached ? "reaches" : "does not reach"} what it was asked about`,
      })),
      ...this.#world.watched.flatMap(({ name, site }) =>
        site.answered.flatMap(({ at, isWell }) => (isWell ? [] : [{ at, what: `${name} answers badly` }])),
      ),
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

  #expectStatus(monitorId: string, ...expected: string[]): void {
    const [row] = this.#read("SELECT name, status, status_message FROM monitors WHERE id = ?", monitorId);
    if (expected.includes(String(row?.status))) return;
    this.#fail("the verdict is that of the reference", `${row?.name} is ${row?.status}, not ${expected.join(" or ")}`);
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

  #expectAnswered(): void {
    const { sentAt, ms } = this.#world.job.slowest;
    if (ms > ANSWERED_WITHIN_MS)
      this.#fail("nobody waits for ever", `the heartbeat of ${timeOf(sentAt)} was answered after ${ms} ms`);
  }

  #noteShown(): void {
    for (const { latest } of this.#read("SELECT latest FROM check_groups")) {
      for (const [monitor, checkedAt] of JSON.parse(String(latest)) as [string, number][]) {
        this.#shown.set(monitor, (this.#shown.get(monitor) ?? new Set()).add(checkedAt));
      }
    }
  }

  /**
   * Each check is in the history once, and no success that the target does not know of. What lists showed is there, unless
   * a message came twice: then the history may have the other check of the slot.
   */
  async #judgeHistory(): Promise<void> {
    for (const { id, name, site } of this.#world.watched) {
      const times = await this.#listHistory(id);
      const answersTo = (checkedAt: number) =>
        site.answered.filter(({ at }) => at >= checkedAt && at <= checkedAt + CHECK_MS).length;
      const repeated = [...Map.groupBy(times, ({ checked_at }) => checked_at)].find(
        ([checkedAt, same]) => same.length > 1 && same.length > answersTo(checkedAt),
      );
      if (repeated) this.#fail("history has each check once", `${name}, ${timeOf(repeated[0])}`);
      const isKept = (at: number) => times.some(({ checked_at }) => Math.abs(checked_at - at) < SAME_SLOT_MS);
      const hasRepeats = (this.#world.service.faults.counts.get("message repeated") ?? 0) > 0;
      const missing = hasRepeats ? undefined : [...(this.#shown.get(id) ?? [])].find((at) => !isKept(at));
      if (missing !== undefined) this.#fail("history has no hole", `${name} was checked ${timeOf(missing)}`);
      const invented = times.find(({ checked_at, outcome }) => {
        const isAnswer = ({ at, isWell }: { at: number; isWell: boolean }) =>
          isWell && at >= checked_at && at <= checked_at + CHECK_MS;
        return outcome === "success" && !site.answered.some(isAnswer);
      });
      if (invented)
        this.#fail("history has what was measured", `${name} was not checked ${timeOf(invented.checked_at)}`);
    }
  }

  async #listHistory(id: string): Promise<{ checked_at: number; outcome: string }[]> {
    const { service } = this.#world;
    const [row] = this.#read("SELECT shard_id, other_shards FROM monitors WHERE id = ?", id);
    const shards = new Set([String(row?.shard_id), ...Object.keys(JSON.parse(String(row?.other_shards)))]);
    const query = { monitor_id: id, from: 0, to: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };
    const lists = [...shards].map((shard) => {
      const listed = service.await(service.objects.find("PROBER", `${shard}/default`).invoke("list", [query]));
      return listed as Promise<{ checked_at: number; outcome: string }[]>;
    });
    return (await Promise.all(lists)).flat();
  }

  #judgeIntervals(): void {
    for (const monitor of [...this.#world.watched.map(({ id }) => id), this.#world.job_id]) {
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
    for (const outage of this.#listOutages()) {
      const watched = this.#world.watched.find(({ id }) => id === outage.monitor_id);
      if (watched) this.#judgeChecked(watched, outage);
      else this.#judgeUnheard(outage);
      if (outage.ended_at === null) this.#fail("every outage ends", `${outage.id} since ${timeOf(outage.started_at)}`);
    }
  }

  #judgeChecked({ id, name, site, failures, successes }: Watched, outage: Outage): void {
    const { started_at, begun_at, ended_at, over_at, over_from } = outage;
    const denied = this.#world.outside.answers.find(({ monitor_id, asked_at, sent_at, noted_at, isReached }) => {
      const isHeard = isReached && noted_at < asked_at + HEARD_FOR_MS;
      return monitor_id === id && isHeard && begun_at >= sent_at && begun_at < asked_at + BETWEEN_QUESTIONS_MS;
    });
    if (denied) this.#fail("no outage of what another network reaches", `${name} was down from ${timeOf(started_at)}`);
    const count = (isWell: boolean, since: number, until: number) =>
      site.answered.filter((each) => each.isWell === isWell && each.at >= since && each.at <= until).length;
    // What hangs has failed only when the check gives up.
    if (count(false, started_at, begun_at) < failures)
      this.#fail("no false alarm", `${name} was down from ${timeOf(started_at)}`);
    if (count(false, started_at, started_at + CHECK_MS) === 0)
      this.#fail("an outage begins with its first failure", `${name} at ${timeOf(started_at)}`);
    // After a time without results the first success decides.
    const needed = over_from === "unknown" ? 1 : successes;
    if (ended_at !== null && over_at !== null && count(true, ended_at, over_at) < needed)
      this.#fail("no false all-clear", `${name} was up from ${timeOf(ended_at)}`);
  }

  #judgeUnheard({ started_at, begun_at }: Outage): void {
    const heard = this.#world.job.acknowledged.find(
      ({ sentAt, answeredAt }) => sentAt > started_at - HEARTBEAT_EVERY_MS && answeredAt < begun_at,
    );
    if (heard) this.#fail("no false alarm", `a heartbeat of ${timeOf(heard.sentAt)} came before ${timeOf(begun_at)}`);
  }

  #listOutages(): Outage[] {
    return this.#read(
      `SELECT outages.monitor_id || '/' || outages.seq AS id, outages.monitor_id, started_at, ended_at,
          begun.decided_at AS begun_at, over.decided_at AS over_at, over.from_status AS over_from
        FROM outages JOIN transitions AS begun ON begun.monitor_id = outages.monitor_id AND begun.seq = outages.seq
        LEFT JOIN transitions AS over ON over.monitor_id = outages.monitor_id AND over.outage_seq = outages.seq
          AND over.to_status = 'up'`,
    ) as unknown as Outage[];
  }

  #judgeAnnouncements(): void {
    const outages = this.#listOutages();
    const known = new Set(outages.map(({ id }) => id));
    for (const [n, { received }] of this.#world.receivers.entries()) {
      for (const outage of outages) {
        const told = ["monitor.down", "monitor.up"].map(
          (event) => received.filter((each) => each.event === event && each.outage_id === outage.id).length,
        );
        if (!this.#isAnnouncedRight(outage, told as [number, number])) {
          const detail = `receiver ${n} got ${told[0]} times monitor.down and ${told[1]} times monitor.up`;
          this.#fail("every outage is announced exactly once", `${detail} of ${describe(outage)}`);
        }
      }
      const stray = received.find(({ outage_id }) => outage_id !== null && !known.has(outage_id));
      if (stray) this.#fail("no all-clear without an alarm", `${stray.event} of ${stray.outage_id}`);
      for (const { id, name } of this.#world.watched) {
        const changes = received.filter(({ event, monitor_id }) => monitor_id === id && CHANGES.includes(event));
        const last = changes.toSorted((a, b) => a.sequence - b.sequence).at(-1);
        const alarms = changes.filter(({ event }) => event === "monitor.down").length;
        if (alarms > outages.filter(({ monitor_id }) => monitor_id === id).length)
          this.#fail("every outage is announced exactly once", `receiver ${n} got ${alarms} alarms about ${name}`);
        if (last && last.event !== "monitor.up")
          this.#fail("the last word is true", `receiver ${n} heard last that ${name} is down, and it is up`);
      }
    }
  }

  #judgeDelays(): void {
    const watched = this.#world.watched.filter(({ isQuick, mutes }) => !isQuick && mutes.length === 0);
    for (const outage of this.#listOutages().filter(({ monitor_id }) => watched.some(({ id }) => id === monitor_id))) {
      const told = this.#world.receivers.flatMap(({ received }) =>
        received.filter(({ event, outage_id }) => event === "monitor.down" && outage_id === outage.id),
      );
      const late = told.find(({ at }) => at - outage.begun_at > ANNOUNCED_WITHIN_MS);
      if (late) this.#fail("outages are announced in time", `${describe(outage)}, announced ${timeOf(late.at)}`);
    }
  }

  #isAnnouncedRight({ monitor_id, begun_at, over_at }: Outage, [down, up]: readonly [number, number]): boolean {
    const watched = this.#world.watched.find(({ id }) => id === monitor_id);
    // While alerts are damped they name the first outage, and the latest state goes out alone.
    if (watched?.isQuick) return true;
    const near = watched?.mutes.find(
      ({ from, to }) => begun_at > from - MINUTE && begun_at < to + BOUND_UNDER_FAULTS_MS,
    );
    if (!near) return down === 1 && up === 1;
    if (down !== up || down > 1) return false;
    const isWithin = near.isSure && begun_at > near.from + MINUTE && begun_at < near.to;
    // It is announced when the mute ends, if it lasts longer.
    if (isWithin && over_at !== null && over_at < near.to) return down === 0;
    if (isWithin && over_at !== null && over_at > near.to + BOUND_UNDER_FAULTS_MS) return down === 1;
    return true;
  }

  /** Of each outage that is announced by itself there is one incident, and all are over. */
  #judgeIncidents(): void {
    const [open] = this.#read("SELECT title FROM incidents WHERE status <> 'resolved'");
    if (open) this.#fail("every outage ends", `the incident "${open.title}" is open`);
    const announced = this.#world.watched.filter(({ isQuick, mutes }) => !isQuick && mutes.length === 0);
    for (const outage of this.#listOutages()) {
      if (!announced.some(({ id }) => id === outage.monitor_id)) continue;
      const found = this.#read("SELECT id FROM incidents WHERE origin_outage_id = ?", outage.id);
      if (found.length !== 1) this.#fail("an outage has one incident", `${describe(outage)} has ${found.length}`);
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

  /** Readers see what the operator sees. */
  async #judgePage(): Promise<void> {
    const { service } = this.#world;
    const { status, body } = await service.await(service.request("GET", PAGE_PATH));
    if (status !== 200) this.#fail("the page answers", String(status));
    const shown = new Map((body.monitors as { id: string; status: string }[]).map((each) => [each.id, each.status]));
    for (const { id, name, status } of this.#read("SELECT id, name, status FROM monitors")) {
      const told = shown.get(String(id));
      if (told !== status) this.#fail("the page says what is so", `${name} is ${status}, the page says ${told}`);
    }
  }

  /** The owner sees what readers see, and nobody else anything. */
  async #judgeList(): Promise<void> {
    const { service, token, stranger, job_id } = this.#world;
    const get = (path: string, as: string) => service.await(service.request("GET", path, { token: as }));
    const listed = (await get(`${MONITORS_PATH}?limit=100`, token)).body as { id: string; status: string }[];
    const told = new Map(listed.map(({ id, status }) => [id, status]));
    for (const { id, name, status } of this.#read("SELECT id, name, status FROM monitors")) {
      if (told.get(String(id)) !== status) this.#fail("the list says what is so", `${name} is ${status}`);
    }
    const { body: others } = await get(MONITORS_PATH, stranger);
    const { status } = await get(`${MONITORS_PATH}/${job_id}`, stranger);
    if (others.length > 0 || status !== 404) this.#fail("nobody sees what is another's", `${others.length}, ${status}`);
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

/** Ticks that were lost one after the other left it unchecked for so long that nothing is known, or just were over. */
function isUnseen({ answered }: Watched["site"], now: number): boolean {
  const since = answered.findLastIndex(({ at }) => at < now - UNSEEN_MS);
  const seenAt = [...answered.slice(Math.max(0, since)).map(({ at }) => at), now];
  return seenAt.some((at, n) => at - (seenAt[n - 1] ?? at) >= UNSEEN_MS);
}

function describe({ id, started_at, begun_at, over_at }: Outage): string {
  return `the outage ${id} of ${timeOf(started_at)}, decided from ${timeOf(begun_at)} to ${timeOf(over_at)}`;
}

function timeOf(at: unknown): string {
  return typeof at === "number" ? new Date(at).toISOString() : "never";
}
