import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Refusal } from "./command-error.ts";
import { IS_PACKAGED, PACKAGED } from "./paths.ts";

/** Unix sockets have short names: 108 bytes on Linux, 104 on macOS, the final zero included. */
const SOCKET_PATH_MAX = 100;

/** Where everything local lives. */
export interface StateDir {
  path: string;
  lock: string;
  secrets: string;
  controlSocket: string;
  /** Holds the bundle of the Worker. */
  build: string;
  /** What the bundle was made of, and its configuration. */
  prepared: string;
  /** The credentials of the demonstration's agents; there while the state holds one. */
  demonstration: string;
  /** What became of the backups that the service makes. */
  backupRecord: string;
  /** What the Workers runtime reads, secrets included. */
  runtimeConfig: string;
  /** Databases, objects and key-value data; wrangler finds them here with `--local --persist-to STATE_DIR`. */
  data: string;
}

export function stateDirOf(env: NodeJS.ProcessEnv): StateDir {
  const stateDir = stateDirAt(resolve(env.STATE_DIR || ".state"));
  const { controlSocket } = stateDir;
  if (Buffer.byteLength(controlSocket) > SOCKET_PATH_MAX) {
    throw new Refusal(`STATE_DIR is too long: ${controlSocket} must not exceed ${SOCKET_PATH_MAX} bytes`);
  }
  return stateDir;
}

export function stateDirAt(path: string): StateDir {
  return {
    path,
    controlSocket: join(path, "control.sock"),
    lock: join(path, "lock.sqlite"),
    secrets: join(path, "secrets.json"),
    build: IS_PACKAGED ? PACKAGED.service : join(path, "build"),
    prepared: join(path, IS_PACKAGED ? "prepared.json" : "build/prepared.json"),
    demonstration: join(path, "demonstration.json"),
    backupRecord: join(path, "backups.json"),
    runtimeConfig: join(path, "runtime.bin"),
    data: join(path, "v3"),
  };
}

/** Nobody but its owner may read it, also where it was there before. What holds other things is not closed to their readers. */
export function createStateDir(stateDir: StateDir): void {
  const { path } = stateDir;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const isOpen = (statSync(path).mode & 0o077) !== 0;
    if (isOpen && isOurs(stateDir)) chmodSync(path, 0o700);
    else if (isOpen) throw new Error("it holds other files, and others may read it: choose a directory of its own");
  } catch (error) {
    throw new Refusal(`STATE_DIR ${path} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

const isOurs = ({ path, lock, secrets, data }: StateDir) =>
  readdirSync(path).length === 0 || [lock, secrets, data].some((each) => existsSync(each));

export interface Address {
  host: string;
  port: number;
}

/** Port 0 means any free one. */
export function addressOf(env: NodeJS.ProcessEnv): Address {
  const host = env.HOST || "127.0.0.1";
  const port = Number(env.PORT || 8787);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Refusal("PORT must be between 0 and 65535");
  return { host, port };
}

const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/** Whether only programs of this machine reach the service: its address stays on it and has no proxy before it. */
export function isOnlyHere(env: NodeJS.ProcessEnv): boolean {
  return !env.PUBLIC_URL && LOOPBACK.includes(addressOf(env).host);
}

/** The header that says where a request comes from; null where nobody is believed. Programs of this machine say for whom they ask. */
export function clientAddressHeaderOf(env: NodeJS.ProcessEnv): string | null {
  return (env.CLIENT_ADDRESS_HEADER ?? (isOnlyHere(env) ? "CF-Connecting-IP" : "")) || null;
}

/** The address people on this machine use; listening everywhere includes loopback. */
export function urlOf({ host, port }: Address): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
