import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Api, createApi } from "./api.ts";
import { CommandFailure } from "./failure.ts";

const Session = z.object({ url: z.url(), token: z.string().min(1) });
export type Session = z.infer<typeof Session>;

/** Where this program keeps what is of one person. */
export function ownFile(env: NodeJS.ProcessEnv, name = "session.json"): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "vigil", name);
}

/** Readable by its owner alone; replaced as a whole. */
export function writeOwnFile(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function saveSession(session: Session, env: NodeJS.ProcessEnv): string {
  const file = ownFile(env);
  writeOwnFile(file, session);
  return file;
}

/** Whether somebody logged in here, or the environment says where to. */
export function hasSession(env: NodeJS.ProcessEnv): boolean {
  return env.VIGIL_TOKEN !== undefined || existsSync(ownFile(env));
}

/** The environment first, so that CI needs no file. */
export function openSession(env: NodeJS.ProcessEnv, made?: (path: string, id: string) => void): Api {
  const file = ownFile(env);
  const saved = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const url = env.VIGIL_URL ?? saved.url;
  // A saved token belongs to the saved service and goes to no other.
  const token = env.VIGIL_TOKEN ?? (url === saved.url ? saved.token : undefined);
  const session = Session.safeParse({ url: url?.replace(/\/+$/, ""), token });
  if (!session.success) throw new CommandFailure("not logged in: run login, or set VIGIL_URL and VIGIL_TOKEN");
  return createApi({ ...session.data, ...(made && { made }) });
}
