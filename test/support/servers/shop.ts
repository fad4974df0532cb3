import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A small shop with a session, a token and orders, as a journey meets it; and the bad manners of others. */
export interface Shop {
  port: number;
  url: string;
  /** What it was asked, in order. */
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Sessions that have not signed out. */
  sessions: Set<string>;
  stop(): Promise<void>;
}

export const SHOP_PASSWORD = 'canary-"pass&word 7f3a';

export async function startShop(): Promise<Shop> {
  const requests: Shop["requests"] = [];
  const sessions = new Set<string>();
  const tokens = new Map<string, string>();
  const orders = new Set<string>();
  const server = createServer(async (req, res) => {
    const body = await textOf(req);
    const { pathname, searchParams } = new URL(req.url ?? "/", "http://shop.test");
    requests.push({ method: req.method ?? "", path: req.url ?? "", headers: req.headers, body });
    const session = /(?:^|; )sid=([^;]+)/.exec(req.headers.cookie ?? "")?.[1] ?? "";
    const answer = (status: number, value: unknown, headers: Record<string, string | string[]> = {}) =>
      void res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    switch (`${req.method} ${pathname}`) {
      case "GET /form":
        res.setHeader("content-type", "text/html");
        return void res.end('<form><input name="csrf" value="csrf-4711-token"></form>');
      case "POST /login": {
        const { user, password, csrf } = JSON.parse(body);
        if (user !== "ann" || password !== SHOP_PASSWORD) return answer(401, { error: `no ${password}` });
        const sid = `sid-${sessions.size + 1}-of-this-run`;
        sessions.add(sid);
        const cookies = [`sid=${sid}; Path=/; HttpOnly`, "seen=1; Path=/orders", "old=x; Max-Age=0"];
        return answer(200, { ok: true, csrf }, { "set-cookie": cookies, "x-request-number": "17" });
      }
      case "GET /login-page":
        return void res.writeHead(302, { location: "/form", "set-cookie": "landed=yes; Path=/" }).end();
      case "POST /token": {
        if (!sessions.has(session)) return answer(403, { error: "no session" });
        const token = `token-${tokens.size + 1}-of-${session}`;
        tokens.set(token, session);
        return answer(200, { access_token: token, expires_in: 300, user: { roles: ["buyer"] } });
      }
      case "POST /orders": {
        const token = req.headers.authorization?.replace("Bearer ", "") ?? "";
        if (!tokens.has(token)) return answer(401, { error: `bad token ${token}` });
        const { id } = JSON.parse(body);
        orders.add(id);
        return answer(201, { id, made_at: JSON.parse(body).at });
      }
      case "GET /orders":
        return answer(200, { found: orders.has(searchParams.get("id") ?? ""), cookie: req.headers.cookie ?? null });
      case "POST /logout":
        return answer(sessions.delete(session) ? 204 : 400, null);
      case "GET /private":
        return void res.writeHead(302, { location: "http://10.0.0.1/admin" }).end();
      case "POST /elsewhere":
        return void res
          .writeHead(307, { location: `http://localhost:${(server.address() as AddressInfo).port}/steal` })
          .end();
      case "GET /elsewhere":
        return void res
          .writeHead(302, { location: `http://localhost:${(server.address() as AddressInfo).port}/steal` })
          .end();
      case "GET /wide-cookie":
        return answer(
          200,
          {},
          { "set-cookie": ["wide=1; Domain=localhost", "foreign=1; Domain=other.test", "mine=1"] },
        );
      case "GET /hang":
        return;
      case "GET /endless":
        return endless(res);
      case "GET /loop":
        return void res.writeHead(302, { location: "/loop" }).end();
      case "GET /echo":
        return answer(200, { headers: req.headers, url: req.url });
      case "GET /broken":
        return answer(500, { error: `you sent ${req.headers.authorization} and ${req.headers["x-key"]}` });
      default:
        return answer(404, { error: "no such page" });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, requests, sessions, stop: () => close(server) };
}

function endless(res: ServerResponse): void {
  res.setHeader("content-type", "text/plain");
  const write = () => {
    while (!res.destroyed && res.write("x".repeat(65_536)));
  };
  res.on("drain", write);
  write();
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
