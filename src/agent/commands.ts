import type { AgentCommandAck } from "../contract/agent-command.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { Backoff } from "./backoff.ts";
import { sleep } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { Log } from "./log.ts";
import type { Command, Uplink } from "./uplink.ts";
import { UplinkError } from "./uplink-error.ts";

/** How long the service holds a poll that has nothing to say. */
const WAIT_S = 25;
/** Acknowledgements that are remembered, should one of them not have arrived. */
const ANSWERS_MAX = 100;

/** Choice: after a connection that could not be opened, or did not last, commands come by polling for this long. */
const POLLING_MS = 10 * MINUTE_MS;
/** Less is no connection: something on the way opens and drops it. */
const LASTING_MS = MINUTE_MS;
/** A service that restarts ends the connections of all agents at once. */
const RECONNECT_MIN_MS = 1000;
const RECONNECT_MAX_MS = 10_000;

export interface CommandParts {
  uplink: Uplink;
  connection: Connection;
  log: Log;
  now(): number;
  /** Does what a command says; throws the reason why it cannot. */
  execute(command: Command): Promise<unknown>;
  /** The service says that other monitors are assigned, or with other settings. */
  monitorsChanged(): Promise<void>;
  /** After the acknowledgement reached the service. */
  acknowledged(command: Command, ack: AgentCommandAck, answer: { agent_token?: string | undefined }): void;
  /** Pause between two polls. */
  pauseMs(): number;
}

/**
 * Receives commands over a WebSocket, or by long polls where that cannot be had, and acknowledges each. A command whose
 * acknowledgement got lost is not executed again.
 */
export class CommandLoop {
  readonly #parts: CommandParts;
  readonly #answers = new Map<string, AgentCommandAck>();
  #pollUntil = 0;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      try {
        const pause = this.#parts.now() < this.#pollUntil ? await this.#poll(signal) : await this.#listen(signal);
        backoff.reset();
        await sleep(pause, signal);
      } catch (error) {
        // The service may be back with connections, too.
        this.#pollUntil = 0;
        await sleep(backoff.next(error), signal);
      }
    }
  }

  /** Gives the pause before the next call. */
  async #poll(signal: AbortSignal): Promise<number> {
    const { connection, uplink, pauseMs } = this.#parts;
    const commands = await connection.watch(() => uplink.commands(WAIT_S, signal));
    for (const command of commands) await this.#handle(command);
    return commands.length > 0 ? 0 : pauseMs();
  }

  /** Gives the pause before the next call, once the connection has ended. */
  async #listen(signal: AbortSignal): Promise<number> {
    const { uplink, now, monitorsChanged } = this.#parts;
    const startedAt = now();
    const failing = new AbortController();
    let work = Promise.resolve();
    try {
      await uplink.listen(AbortSignal.any([signal, failing.signal]), ({ commands, monitors_changed }) => {
        work = work.then(async () => {
          if (monitors_changed) await monitorsChanged();
          for (const command of commands) await this.#handle(command);
        });
        // The service sends what is not acknowledged again, over the next connection.
        work.catch(() => failing.abort());
      });
    } catch (error) {
      if (error instanceof UplinkError && error.kind === "unauthorized") throw error;
      return this.#fallBack(error instanceof Error ? error.message : String(error), signal);
    }
    await work;
    if (signal.aborted) return 0;
    if (now() - startedAt < LASTING_MS) return this.#fallBack("the connection did not last", signal);
    return RECONNECT_MIN_MS + Math.random() * (RECONNECT_MAX_MS - RECONNECT_MIN_MS);
  }

  #fallBack(reason: string, signal: AbortSignal): Promise<number> {
    this.#parts.log.debug("no connection for commands, they are polled", { reason });
    this.#pollUntil = this.#parts.now() + POLLING_MS;
    return this.#poll(signal);
  }

  async #handle(command: Command): Promise<void> {
    const { connection, uplink, acknowledged } = this.#parts;
    const ack = this.#answers.get(command.id) ?? (await this.#execute(command));
    this.#remember(command.id, ack);
    const answer = await connection.watch(() => uplink.acknowledge(command.id, ack));
    acknowledged(command, ack, answer);
  }

  async #execute(command: Command): Promise<AgentCommandAck> {
    const { log, execute } = this.#parts;
    log.info("command received", { type: command.type, id: command.id });
    try {
      return { ok: true, result: await execute(command) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn("command failed", { type: command.type, id: command.id, reason });
      return { ok: false, error: reason };
    }
  }

  #remember(id: string, ack: AgentCommandAck): void {
    this.#answers.set(id, ack);
    for (const known of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX) break;
      this.#answers.delete(known);
    }
  }
}
