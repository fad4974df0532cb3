import type { Log } from "./log.ts";
import { UplinkError } from "./uplink-error.ts";

export interface ConnectionState {
  is_online: boolean;
  last_contact_at: number | null;
  last_error: string | null;
}

/** Whether the service answers, as seen by all calls together; logs each change once. */
export class Connection {
  readonly #log: Log;
  readonly #now: () => number;
  #isOnline = false;
  #lastContactAt: number | null = null;
  #lastError: string | null = null;

  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  get state(): ConnectionState {
    return { is_online: this.#isOnline, last_contact_at: this.#lastContactAt, last_error: this.#lastError };
  }

  /** Notes how a call went, and passes its outcome on. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      this.#succeeded();
      return answer;
    } catch (error) {
      if (error instanceof UplinkError) this.#failed(error);
      throw error;
    }
  }

  #succeeded(): void {
    if (!this.#isOnline) this.#log.info("connected to the service");
    this.#isOnline = true;
    this.#lastError = null;
    this.#lastContactAt = this.#now();
  }

  #failed({ kind, message }: UplinkError): void {
    if (kind === "refused") return;
    const reason =
      kind === "unauthorized"
        ? "the service does not know this agent's token: it was deleted, or enrolled again elsewhere"
        : message;
    if (this.#isOnline || this.#lastError !== reason) {
      this.#log.warn("the service cannot be reached; results are kept on disk", { reason });
    }
    this.#isOnline = false;
    this.#lastError = reason;
  }
}
