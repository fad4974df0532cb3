import type { ConnectRequest, NetIo, NetRequest, NetSocket } from "../../src/net/port.ts";

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | ReadableStream<Uint8Array>;
  latency_ms?: number;
}

/** What the outside says: an answer or an Error to throw, for each request in turn. */
export interface Script {
  fetch?: (ScriptedAnswer | Error)[];
  /** The bytes each connection will read, or the Error that opening it throws. */
  connect?: ((string | Uint8Array)[] | Error)[];
}

export interface ScriptedIo extends NetIo {
  requests: NetRequest[];
  connections: ConnectRequest[];
  written: string[];
  openSockets(): number;
}

/** A probe's io that plays a script and fails on anything the script does not hold. */
export function scriptedIo(script: Script): ScriptedIo {
  const answers = [...(script.fetch ?? [])];
  const dialogs = [...(script.connect ?? [])];
  const written: string[] = [];
  let open = 0;
  const requests: NetRequest[] = [];
  const connections: ConnectRequest[] = [];
  return {
    requests,
    connections,
    written,
    openSockets: () => open,
    now: () => 0,
    newId: () => "00000000-0000-4000-8000-000000000000",
    resolvers: ["https://one.example/dns-query", "https://two.example/resolve"],
    async fetch(request) {
      requests.push(request);
      const answer = answers.shift();
      if (!answer) throw new Error(`the script has no answer to ${request.method} ${request.url}`);
      if (answer instanceof Error) throw answer;
      const { body } = new Response(answer.body ?? "");
      const headers = new Headers(answer.headers);
      return { status: answer.status ?? 200, headers, body, latency_ms: answer.latency_ms ?? 5 };
    },
    async connect(request) {
      connections.push(request);
      const dialog = dialogs.shift();
      if (!dialog) throw new Error(`the script has no connection to ${request.host}:${request.port}`);
      if (dialog instanceof Error) throw dialog;
      open++;
      return scriptedSocket(dialog, written, () => open--);
    },
  };
}

function scriptedSocket(reads: (string | Uint8Array)[], written: string[], onClose: () => void): NetSocket {
  const left = [...reads];
  let isClosed = false;
  return {
    latency_ms: 5,
    async read() {
      const chunk = left.shift();
      return typeof chunk === "string" ? new TextEncoder().encode(chunk) : (chunk ?? null);
    },
    async write(bytes) {
      written.push(new TextDecoder().decode(bytes));
    },
    async startTls() {},
    close() {
      if (!isClosed) onClose();
      isClosed = true;
    },
  };
}
