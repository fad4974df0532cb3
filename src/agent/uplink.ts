import { z } from "zod";
import {
  AgentAssignment,
  AgentBulkAccepted,
  type AgentBulkResults,
  type AgentDiscoveriesReport,
  type AgentEnroll,
  AgentEnrolled,
  type AgentEventsReport,
  type AgentHandshake,
  AgentHandshakeResponse,
  type AgentMetricsReport,
} from "../contract/agent.ts";
import { AgentCommand, type AgentCommandAck, AgentCommandAcked } from "../contract/agent-command.ts";
import { isRecord } from "../lib/is-record.ts";
import { type HoldSocket, holdSocket } from "./command-socket.ts";
import { UplinkError, unavailableBecause } from "./uplink-error.ts";

const API = "/api/uptime/v1";
const TOKEN_HEADER = "x-agent-token";
const TIMEOUT_MS = 20_000;
/** Beyond the time for which the service holds a long poll. */
const POLL_SLACK_MS = 15_000;

export interface UplinkOptions {
  url: string;
  /** Read for each call, because it changes when it is rotated. */
  token(): string;
  fetch?: typeof fetch;
  holdSocket?: HoldSocket;
}

interface Call {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export type Welcome = z.infer<typeof AgentHandshakeResponse>;
export type Command = z.infer<typeof AgentCommand>;

const Program = z.object({ version: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/), url: z.url() });
export type Program = z.infer<typeof Program>;

/** A type that only a newer agent knows hides no other command. */
const Commands = z
  .array(z.unknown())
  .transform((list) => list.flatMap((each) => AgentCommand.safeParse(each).data ?? []));
const Message = z.object({ commands: Commands, monitors_changed: z.boolean().default(false) });
export type ServiceMessage = z.infer<typeof Message>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One by one, so that a type which only a newer agent knows does not hide the others. */
export function parseAssignments(list: readonly unknown[]): AgentAssignment[] {
  return list.flatMap((each) => AgentAssignment.safeParse(each).data ?? []);
}

/** The agent-facing API, one method a route. Every method throws an UplinkError. */
export class Uplink {
  readonly #options: UplinkOptions;

  constructor(options: UplinkOptions) {
    this.#options = options;
  }

  async enroll(body: z.input<typeof AgentEnroll>) {
    return parsed(AgentEnrolled, await this.call({ method: "POST", path: "/agents/enroll", body }));
  }

  async handshake(body: AgentHandshake): Promise<Welcome> {
    return parsed(AgentHandshakeResponse, await this.call({ method: "POST", path: "/agents/handshake", body }));
  }

  /** Null when nothing changed since the answer that carried `etag`. */
  async assignments(etag: string | null): Promise<{ assignments: AgentAssignment[]; etag: string | null } | null> {
    const headers: Record<string, string> = etag === null ? {} : { "if-none-match": etag };
    const response = await this.call({ method: "GET", path: "/agents/monitors", headers });
    if (response.status === 304) return null;
    const assignments = parseAssignments(await parsed(z.array(z.unknown()), response));
    return { assignments, etag: response.headers.get("etag") };
  }

  async commands(waitSeconds: number, signal: AbortSignal): Promise<Command[]> {
    const path = `/agents/commands?wait=${waitSeconds}`;
    const timeoutMs = waitSeconds * 1000 + POLL_SLACK_MS;
    return parsed(Commands, await this.call({ method: "GET", path, timeoutMs, signal }));
  }

  /** Receives what the service has to say. Ends when the connection ended; throws when none could be opened. */
  async listen(signal: AbortSignal, onMessage: (message: ServiceMessage) => void): Promise<void> {
    await (this.#options.holdSocket ?? holdSocket)({
      // http becomes ws, https wss.
      address: `${this.#options.url}${API}/agents/commands/live`.replace(/^http/, "ws"),
      headers: { [TOKEN_HEADER]: this.#options.token() },
      signal,
      onMessage: (text) => {
        const message = Message.safeParse(parseJson(text));
        if (message.success) onMessage(message.data);
      },
    });
  }

  async acknowledge(commandId: string, body: AgentCommandAck) {
    return parsed(
      AgentCommandAcked,
      await this.call({ method: "POST", path: `/agents/commands/${commandId}/ack`, body }),
    );
  }

  async reportMetrics(body: z.input<typeof AgentMetricsReport>): Promise<void> {
    await this.#send("/agents/metrics", body);
  }

  async reportEvents(body: z.input<typeof AgentEventsReport>): Promise<void> {
    await this.#send("/agents/events", body);
  }

  async reportDiscoveries(body: AgentDiscoveriesReport): Promise<void> {
    await this.#send("/agents/discoveries", body);
  }

  async submitResults(results: z.input<typeof AgentBulkResults>["results"]) {
    const body: z.input<typeof AgentBulkResults> = { results };
    return parsed(AgentBulkAccepted, await this.call({ method: "POST", path: "/agents/results", body }));
  }

  async latestProgram(): Promise<Program> {
    return parsed(Program, await this.call({ method: "GET", path: "/agents/version" }));
  }

  async #send(path: string, body: unknown): Promise<void> {
    const response = await this.call({ method: "POST", path, body });
    await response.body?.cancel();
  }

  /** The answer, when its status is 2xx or 304. */
  async call({ method, path, body, headers = {}, timeoutMs = TIMEOUT_MS, signal }: Call): Promise<Response> {
    const within = AbortSignal.timeout(timeoutMs);
    let response: Response;
    try {
      response = await (this.#options.fetch ?? fetch)(`${this.#options.url}${API}${path}`, {
        method,
        headers: {
          ...headers,
          [TOKEN_HEADER]: this.#options.token(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would take the credential along.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, within]) : within,
      });
    } catch (error) {
      throw unavailableBecause(error);
    }
    if (response.ok || response.status === 304) return response;
    throw await refusalOf(response);
  }
}

async function refusalOf(response: Response): Promise<UplinkError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  const said = isRecord(body) && typeof body.error === "string" ? body.error : "no reason given";
  const message = `HTTP ${status}: ${said}`;
  if (status === 401) return new UplinkError("unauthorized", message, { status });
  const isTransient = status === 408 || status === 429 || status >= 500 || (status >= 300 && status < 400);
  if (!isTransient) return new UplinkError("refused", message, { status });
  const seconds = Number(response.headers.get("retry-after"));
  return new UplinkError("unavailable", message, {
    status,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
  });
}

async function parsed<Schema extends z.ZodType>(schema: Schema, response: Response): Promise<z.infer<Schema>> {
  const result = schema.safeParse(await response.json().catch(() => undefined));
  if (result.success) return result.data;
  throw new UplinkError("unavailable", "the answer of the service is not what this agent understands");
}
