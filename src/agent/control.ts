import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { MONITOR_TYPES } from "../contract/monitor-values.ts";
import { codeOf } from "./files.ts";

/**
 * A unix socket in the agent's directory. It shows what the running agent is doing to a person at the machine, and
 * keeps a second agent from working on the same directory.
 */
const StatusReport = z.object({
  pid: z.int(),
  version: z.string(),
  name: z.string(),
  url: z.string(),
  started_at: z.number(),
  is_online: z.boolean(),
  last_contact_at: z.number().nullable(),
  last_error: z.string().nullable(),
  buffered_results: z.int(),
  monitors: z.array(
    z.object({
      name: z.string(),
      type: z.enum(MONITOR_TYPES),
      status: z.string(),
      message: z.string(),
      checked_at: z.number().nullable(),
    }),
  ),
});
export type StatusReport = z.infer<typeof StatusReport>;

/** Of a socket's address on Linux, less its final zero. */
const PATH_MAX = 107;
const ANSWER_TIMEOUT_MS = 5000;

export const controlPath = (dir: string) => join(dir, "agent.sock");

/** Rejects when an agent runs in this directory already. */
export async function openControl(dir: string, report: () => StatusReport): Promise<{ close(): void }> {
  const path = controlPath(dir);
  if (Buffer.byteLength(path) > PATH_MAX) throw new Error(`the path of the agent's directory is too long: ${dir}`);
  if ((await readStatus(dir)) !== undefined) throw new Error(`an agent runs in ${dir} already`);
  // What an agent that was killed left behind.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(JSON.stringify(report()));
  });
  await listen(server, path);
  server.unref();
  return { close: () => void server.close() };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve();
    });
  });
}

/** Undefined when no agent runs in the directory. */
export function readStatus(dir: string): Promise<StatusReport | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(controlPath(dir));
    const chunks: Buffer[] = [];
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error("the agent does not answer")));
    socket.on("error", (error) => {
      if (["ENOENT", "ECONNREFUSED"].includes(codeOf(error))) resolve(undefined);
      else reject(error);
    });
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => {
      const parsed = StatusReport.safeParse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      if (parsed.success) resolve(parsed.data);
      else reject(new Error("the agent that runs here is of another version"));
    });
  });
}

/** For a terminal. */
export function formatStatus(report: StatusReport, now: number): string {
  const ago = (at: number | null) => (at === null ? "never" : `${Math.max(0, Math.round((now - at) / 1000))} s ago`);
  const rows = report.monitors.map(({ name, type, status, checked_at, message }) => [
    status,
    type,
    name,
    ago(checked_at),
    message,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? "").length)));
  const table = rows.map((row) => `  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join("  ")}`.trimEnd());
  return [
    `agent "${report.name}" ${report.version}, process ${report.pid}, started ${ago(report.started_at)}`,
    `service ${report.url}: ${report.is_online ? "connected" : "not connected"}, last contact ${ago(report.last_contact_at)}`,
    ...(report.last_error === null ? [] : [`last error: ${report.last_error}`]),
    `results waiting to be sent: ${report.buffered_results}`,
    report.monitors.length === 0 ? "no monitors are assigned to this agent" : `monitors: ${report.monitors.length}`,
    ...table,
  ].join("\n");
}
