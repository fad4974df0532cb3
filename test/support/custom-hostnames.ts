import { newId } from "../../src/platform/ids.ts";
import type { Sink } from "./sink.ts";

interface Ordered {
  id: string;
  hostname: string;
  status: string;
  verification_errors?: string[];
  ssl: Record<string, unknown>;
}

const answer = (status: number, body: object) =>
  Response.json({ success: status < 400, errors: [], messages: [], ...body }, { status });
const refuse = (status: number, code: number, message: string) =>
  answer(status, { errors: [{ code, message }], result: null });

/**
 * Cloudflare's custom hostnames as far as the product uses them: it wants the token, finds names by any part of them, orders
 * a name once, and has its certificate pending until its state is set.
 */
export function serveCustomHostnames(sink: Sink, base: string, { zone, token }: { zone: string; token: string }) {
  const ordered = new Map<string, Ordered>();
  const root = `${base}/zones/${zone}/custom_hostnames`;
  sink.serve(root, ({ url, method, headers, body }) => {
    if (headers.get("authorization") !== `Bearer ${token}`) return refuse(403, 9109, "Invalid access token");
    const { pathname, searchParams } = new URL(url);
    const id = pathname.slice(new URL(root).pathname.length + 1);
    if (method === "GET") {
      const wanted = searchParams.get("hostname") ?? "";
      const result = [...ordered.values()].filter(({ hostname }) => hostname.includes(wanted)).reverse();
      return answer(200, { result, result_info: { page: 1, per_page: 50, total_count: result.length } });
    }
    if (method === "DELETE") {
      return ordered.delete(id) ? answer(200, { id }) : refuse(404, 1436, "The custom hostname was not found.");
    }
    const { hostname, ssl } = JSON.parse(body);
    const isTaken = [...ordered.values()].some((each) => each.hostname === hostname);
    if (isTaken) return refuse(409, 1406, "Duplicate custom hostname found.");
    const validation_records = [{ txt_name: `_acme-challenge.${hostname}`, txt_value: newId() }];
    const pending = { ...ssl, status: "pending_validation", validation_records };
    const made: Ordered = { id: newId(), hostname, status: "pending", ssl: pending };
    ordered.set(made.id, made);
    return answer(201, { result: made });
  });
  return {
    ordered,
    /** What happens at the provider, or in front of it. */
    set(hostname: string, change: Partial<Ordered>) {
      const found = [...ordered.values()].find((each) => each.hostname === hostname);
      if (!found) throw new Error(`${hostname} was never ordered`);
      ordered.set(found.id, { ...found, ...change });
    },
  };
}
