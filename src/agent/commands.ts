import type { AgentCommandAck } from "../contract/agent.ts";
import { Backoff } from "./backoff.ts";
import { sleep } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { Log } from "./log.ts";
import type { Command, Uplink } from "./uplink.ts";

/** How long the service holds a poll that has nothing to say. */
const WAIT_S = 25;
/** Acknowledgements that are remembered, should one of them not have arrived. */
const ANSWERS_MAX = 100;

export interface CommandParts {
  uplink: Uplink;
  connection: Connection;
  log: Log;
  /** Does what a command says; throws the reason why it cannot. */
  execute(command: Command): Promise<unknown>;
  /** After the acknowledgement reached the service. */
  acknowledged(command: Command, ack: AgentCommandAck, answer: { agent_token?: string | undefined }): void;
  /** Pause between two polls. */
  pauseMs(): number;
}

/** Polls for commands and acknowledges each. A command whose acknowledgement got lost is not executed again. */
export class CommandLoop {
  readonly #parts: CommandParts;
  readonly #answers = new Map<string, AgentCommandAck>();

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { connection, uplink, pauseMs } = this.#parts;
    const backoff = new Backoff();
    while (!signal.aborted) {
      try {
        const commands = await connection.watch(() => uplink.commands(WAIT_S, signal));
        for (const command of commands) await this.#handle(command);
        backoff.reset();
        await sleep(commands.length > 0 ? 0 : pauseMs(), signal);
      } catch (error) {
        await sleep(backoff.next(error), signal);
      }
    }
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
