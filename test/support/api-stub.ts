import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface StubAnswer {
  status?: number;
  /** JSON, or text as it is. */
  body?: unknown;
}
export interface ApiStub {
  url: string;
  /** Method and path of every request, in order. */
  requests: string[];
  stop(): Promise<void>;
}

/**
 * Stands in for a product that no Debian package provides: it answers as the product's documentation says, and with 404
 * to everything that the test did not name. `routes` is by path, or by method and path.
 */
export async function startApiStub(
  routes: Record<string, StubAnswer | ((request: IncomingMessage) => StubAnswer)>,
  socketPath?: string,
): Promise<ApiStub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(`${request.method} ${path}`);
    const route = routes[`${request.method} ${path}`] ?? routes[path] ?? { status: 404 };
    const { status = 200, body = "" } = typeof route === "function" ? route(request) : route;
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    if (socketPath) server.listen(socketPath, resolve);
    else server.listen(0, "127.0.0.1", resolve);
  });
  const url = socketPath ? `unix://${socketPath}` : `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, requests, stop };
}
