import { hostname, machine, platform, release } from "node:os";
import { AGENT_SKILLS, type AgentAssignment } from "../contract/agent.ts";
import type { Observation } from "../contract/observation.ts";
import { HOUR_MS } from "../lib/durations.ts";
import { Assignments } from "./assignments.ts";
import { Backoff } from "./backoff.ts";
import { type CheckedResult, ResultBuffer } from "./buffer.ts";
import { type Checked, checkAssignment } from "./checker.ts";
import { type Clock, createClock, sleep } from "./clock.ts";
import { type ExecutionParts, executeCommand } from "./command-execution.ts";
import type { HoldSocket } from "./command-socket.ts";
import { CommandLoop } from "./commands.ts";
import { type AgentConfig, pathsOf, writeConfig } from "./config.ts";
import { Connection } from "./connection.ts";
import { openControl, type StatusReport } from "./control.ts";
import { discover } from "./discovery.ts";
import type { Log } from "./log.ts";
import { runMetrics } from "./metrics-loop.ts";
import { createNodeIo } from "./node-io.ts";
import { Pace } from "./pace.ts";
import { PathWalker, type walkPath } from "./path.ts";
import { AGENT_TYPES, agentProbe } from "./probes/registry.ts";
import { Reach } from "./reach.ts";
import { Scheduler } from "./scheduler.ts";
import { Sender } from "./sender.ts";
import { installUpdate } from "./update.ts";
import { type Command, Uplink } from "./uplink.ts";
import { VERSION } from "./version.ts";

/** How often an agent with monitors polls for changes, until the service sets another interval. */
const POLL_S = 30;
/** An agent without monitors polls less often; with the wait of a long poll, less than three times a minute in all. */
const IDLE_PAUSE_MS = 25_000;
const IDLE_POLL_S = 50;
/** Choice: a look costs nothing, and results of as long carry a time that may be wrong. */
const CLOCK_LOOK_MS = 5000;
/** Choice: what the last results of a stopping agent may take to leave. */
const LAST_FLUSH_MS = 5000;

export interface AgentParts {
  dir: string;
  config: AgentConfig;
  log: Log;
  env: NodeJS.ProcessEnv;
  /** The file of this program, which an update replaces. */
  programPath: string;
  /** How the connection for commands is held; a real WebSocket where it is absent. */
  holdSocket?: HoldSocket;
  /** How the way to an address is walked; by the programs of the host where it is absent. */
  walk?: typeof walkPath;
}

/** What an agent says about its host and itself. */
export function describeHost() {
  return {
    version: VERSION,
    hostname: hostname(),
    os: `${platform()} ${release()}`,
    arch: machine(),
    capabilities: [...AGENT_TYPES, ...AGENT_SKILLS],
  };
}

/** The running agent: checks on schedule, and everything that goes to and comes from the service. */
export class Agent {
  readonly #parts: AgentParts;
  #config: AgentConfig;
  readonly #clock: Clock = createClock();
  readonly #pace = new Pace(performance.now());
  readonly #startedAt = this.#clock.now();
  readonly #uplink: Uplink;
  readonly #connection: Connection;
  readonly #buffer: ResultBuffer;
  readonly #sender: Sender;
  readonly #assignments: Assignments;
  readonly #scheduler: Scheduler;
  readonly #walker: PathWalker;
  readonly #certificates = new Map<string, number | null>();
  readonly #failed = new Map<string, boolean>();
  readonly #checkOnce: ExecutionParts["checkOnce"];
  readonly #stopping = new AbortController();
  #pollSeconds = POLL_S;
  #isUpdated = false;
  #hasDiskFault = false;

  constructor(parts: AgentParts) {
    const { dir, config, log, holdSocket, walk } = parts;
    const paths = pathsOf(dir);
    const reach = new Reach(config);
    this.#walker = new PathWalker(reach, walk);
    this.#parts = parts;
    this.#config = config;
    this.#uplink = new Uplink({ url: config.url, token: () => this.#config.agent_token, holdSocket });
    this.#connection = new Connection(log, () => this.#clock.now());
    this.#buffer = new ResultBuffer(paths.buffer, (error) => this.#noteDiskFault(error));
    const { connection, uplink, buffer, clock } = {
      connection: this.#connection,
      uplink: this.#uplink,
      buffer: this.#buffer,
      clock: this.#clock,
    };
    this.#sender = new Sender({ uplink, buffer, clock, connection, log });
    this.#assignments = new Assignments(paths.assignments, uplink);
    const places = { probeFor: agentProbe, ioFor: (fields: object) => createNodeIo(fields, reach), reach, clock };
    const memory = { certificates: this.#certificates, failed: this.#failed };
    this.#checkOnce = (assignment) =>
      checkAssignment(assignment, { ...places, certificates: new Map(), failed: new Map() });
    this.#scheduler = new Scheduler({
      now: () => clock.now(),
      check: (assignment) => checkAssignment(assignment, { ...places, ...memory }),
      onStart: (latenessMs) => this.#pace.note(latenessMs),
      onResult: (assignment, result) => this.#noteResult(assignment, result),
      onError: (assignment, reason, isNew) => this.#noteError(assignment, reason, isNew),
    });
  }

  /** Ends when `stop` was called, or with "updated" when another program is to take over. */
  async run(): Promise<"stopped" | "updated"> {
    const { dir, log } = this.#parts;
    const { uplink, connection, clock } = { uplink: this.#uplink, connection: this.#connection, clock: this.#clock };
    const control = await openControl(dir, () => this.#report());
    const signal = this.#stopping.signal;
    log.info("agent started", { version: VERSION, name: this.#config.name, service: this.#config.url });
    if (this.#buffer.size > 0)
      log.info("results of the last run are waiting to be sent", { results: this.#buffer.size });
    this.#scheduler.assign(this.#assignments.readStored());
    const commands = new CommandLoop({
      uplink,
      connection,
      log,
      now: () => clock.now(),
      execute: (command) => executeCommand(command, this.#executionParts()),
      monitorsChanged: () => this.#refreshAssignments(),
      acknowledged: (command, _ack, answer) => this.#afterAcknowledgement(command, answer.agent_token),
      pauseMs: () => (this.#isIdle() ? IDLE_PAUSE_MS : 0),
    });
    try {
      await Promise.all([
        this.#repeat(HOUR_MS, () => this.#shakeHands()),
        this.#repeat(
          () => this.#pollMs(),
          () => this.#refreshAssignments(),
        ),
        this.#repeat(HOUR_MS, async () => void (await this.#reportDiscoveries())),
        this.#followClock(),
        runMetrics(
          {
            uplink,
            connection,
            clock,
            isIdle: () => this.#isIdle(),
            readPace: () => this.#pace.read(performance.now()),
          },
          signal,
        ),
        this.#sender.run(signal),
        commands.run(signal),
      ]);
    } finally {
      await this.#finish();
      control.close();
    }
    return this.#isUpdated ? "updated" : "stopped";
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #finish(): Promise<void> {
    await this.#scheduler.stop();
    await Promise.race([this.#sender.flush().catch(() => {}), sleep(LAST_FLUSH_MS)]);
    this.#buffer.close();
    this.#parts.log.info("agent stopped", { results_kept: this.#buffer.size });
  }

  /** Calls again and again, sooner where a call failed. */
  async #repeat(everyMs: number | (() => number), call: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    const backoff = new Backoff();
    while (!signal.aborted) {
      let pause = typeof everyMs === "number" ? everyMs : everyMs();
      try {
        await this.#connection.watch(call);
        backoff.reset();
      } catch (error) {
        pause = Math.min(pause, backoff.next(error));
      }
      await sleep(pause, signal);
    }
  }

  /** A clock that was set says nothing of the time, and one of a host that slept has lost some: the service knows it. */
  async #followClock(): Promise<void> {
    const { signal } = this.#stopping;
    const backoff = new Backoff();
    while (!signal.aborted) {
      await sleep(CLOCK_LOOK_MS, signal);
      if (signal.aborted || !this.#clock.hasJumped()) continue;
      try {
        await this.#connection.watch(() => this.#askTime());
        backoff.reset();
      } catch (error) {
        await sleep(backoff.next(error), signal);
      }
    }
  }

  async #askTime() {
    const sentAt = performance.now();
    const welcome = await this.#uplink.handshake(describeHost());
    const tookMs = performance.now() - sentAt;
    const offset = this.#clock.correct({ serverTime: Date.parse(welcome.server_time), tookMs });
    if (offset !== 0)
      this.#parts.log.warn("this host's clock is wrong; results carry the service's time", { difference_ms: offset });
    return welcome;
  }

  async #shakeHands(): Promise<void> {
    const { log, env, programPath } = this.#parts;
    const welcome = await this.#askTime();
    this.#pollSeconds = welcome.poll_interval_seconds;
    if (welcome.latest_version === VERSION || !this.#config.auto_update || env.VIGIL_AGENT_UPDATES === "off") return;
    try {
      await this.#update();
    } catch (error) {
      log.warn("update failed", {
        program: programPath,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  async #refreshAssignments(): Promise<void> {
    const assignments = await this.#assignments.refresh();
    if (!assignments) return;
    this.#scheduler.assign(assignments.filter(({ type }) => AGENT_TYPES.includes(type)));
    this.#parts.log.info("monitors assigned", { monitors: assignments.length });
  }

  async #reportDiscoveries(): Promise<number> {
    const discoveries = await discover(this.#parts.env);
    if (discoveries.length > 0) await this.#uplink.reportDiscoveries({ discoveries });
    return discoveries.length;
  }

  #executionParts(): ExecutionParts {
    return {
      scheduler: this.#scheduler,
      sender: this.#sender,
      refreshAssignments: () => this.#refreshAssignments(),
      reportDiscoveries: () => this.#reportDiscoveries(),
      update: () => this.#update(),
      checkOnce: this.#checkOnce,
    };
  }

  async #update() {
    const { log, programPath } = this.#parts;
    const update = await installUpdate({ uplink: this.#uplink, config: this.#config, programPath });
    if (update.updated) {
      log.info("update installed, the agent restarts", { version: update.version });
      this.#isUpdated = true;
      // The acknowledgement of a command that asked for it leaves before.
      setTimeout(() => this.stop(), 1000).unref();
    }
    return update;
  }

  #afterAcknowledgement({ type }: Command, newToken: string | undefined): void {
    if (type !== "rotate_token" || newToken === undefined) return;
    // The old token stays valid until the new one is first used, so it is stored first.
    const changed = { ...this.#config, agent_token: newToken };
    writeConfig(this.#parts.dir, changed);
    this.#config = changed;
    this.#parts.log.info("token rotated");
  }

  #noteResult(assignment: AgentAssignment, result: CheckedResult): void {
    const { name, type, is_location = false } = assignment;
    const { log } = this.#parts;
    const fields = {
      monitor: name,
      type,
      status: result.status,
      latency_ms: result.latency_ms,
      message: result.message,
    };
    if (result.is_settled) log.debug("checked", fields);
    else log.info("checked", fields);
    const dropped = this.#buffer.add(result);
    if (dropped > 0) log.warn("the buffer is full, oldest results dropped", { results: dropped });
    // A round waits for what a location found, be it no news.
    this.#sender.wake({ is_settled: result.is_settled && !is_location });
    if (result.status === "down" && result.observation) void this.#notePath(assignment, result, result.observation);
  }

  /** The way to what failed comes later than the result, which waits for nothing: it is sent again with it. */
  async #notePath(assignment: AgentAssignment, result: CheckedResult, observation: Observation): Promise<void> {
    const path = await this.#walker.walk(assignment, observation.connection?.address ?? null);
    if (path === null || this.#stopping.signal.aborted) return;
    this.#buffer.add({ ...result, observation: { ...observation, path } });
    this.#sender.wake({ is_settled: false });
  }

  #noteError({ id, name, type }: AgentAssignment, reason: string, isNew: boolean): void {
    if (!isNew) return;
    this.#parts.log.warn("check not possible", { monitor: name, type, reason });
    const event = {
      level: "warn" as const,
      type: "check.not_possible",
      message: `${name}: ${reason}`,
      data: { monitor_id: id },
    };
    const at = new Date(this.#clock.now()).toISOString();
    this.#uplink.reportEvents({ events: [{ ...event, at }] }).catch(() => {});
  }

  #noteDiskFault(error: unknown): void {
    if (this.#hasDiskFault) return;
    this.#hasDiskFault = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.log.error("results cannot be written to disk; they are kept in memory alone", { reason });
  }

  #isIdle(): boolean {
    return this.#scheduler.monitors.length === 0;
  }

  #pollMs(): number {
    return (this.#isIdle() ? Math.max(IDLE_POLL_S, this.#pollSeconds) : this.#pollSeconds) * 1000;
  }

  #report(): StatusReport {
    const { name, url } = this.#config;
    return {
      pid: process.pid,
      version: VERSION,
      name,
      url,
      started_at: this.#startedAt,
      ...this.#connection.state,
      buffered_results: this.#buffer.size,
      monitors: this.#scheduler.monitors.map(({ assignment, last }) => ({
        name: assignment.name,
        type: assignment.type,
        ...describeCheck(last),
      })),
    };
  }
}

function describeCheck(checked: Checked | null) {
  if (!checked) return { status: "pending", message: "", checked_at: null };
  if (!checked.ok) return { status: "error", message: checked.reason, checked_at: null };
  const { status, message, checked_at } = checked.result;
  return { status, message, checked_at };
}
