import type { MaintenanceCreate } from "../../contract/maintenance.ts";
import type { INCIDENT_SEVERITIES } from "../../contract/monitor-values.ts";
import { PUSH_ALIAS_LENGTH_MIN } from "../../contract/push.ts";
import { isUsableSlug } from "../../contract/status-page.ts";
import { keyFrom } from "../export.ts";
import type { Manifest } from "../manifest.ts";
import type { Channel } from "./channels.ts";
import type { ForeignRecord } from "./record.ts";

export type Section = "status_pages" | "groups" | "monitors" | "webhooks" | "maintenance";
export type ImportedMonitor = Manifest["monitors"][string];
export type ImportedManifest = Pick<Manifest, "version" | "status_pages" | "groups" | "monitors" | "webhooks">;

/** `changes`: it comes, though not as it was. `stays`: it does not come. */
export interface Remark {
  subject: string;
  about: "changes" | "stays";
  reason: string;
}

interface Written {
  title: string;
  description: string;
  /** By the keys of the file. */
  status_page: string;
  monitors: string[];
}

/** What is over: nobody is notified of it again. */
export interface ImportedIncident extends Written {
  severity: (typeof INCIDENT_SEVERITIES)[number];
  started_at: string;
  resolved_at: string;
  is_public?: boolean;
}

export interface ImportedMaintenance
  extends Written,
    Pick<
      MaintenanceCreate,
      "recurrence_type" | "recurrence_interval" | "recurrence_day_of_week" | "recurrence_day_of_month"
    > {
  key: string;
  start_time: string;
  end_time: string;
  is_public?: boolean;
  recurrence_end_date?: string;
}

/** What no file holds, but the service does. */
export interface ImportedHistory {
  incidents: ImportedIncident[];
  maintenance: ImportedMaintenance[];
}

/** What another tool's settings became, and every difference that this makes. */
export interface Imported {
  manifest: ImportedManifest;
  history: ImportedHistory;
  remarks: Remark[];
}

export interface ImportOptions {
  /** The agent that runs what the edge cannot. */
  agent?: string | undefined;
  /** Windows that recur begin with the first that is not over. */
  now?: number;
}

/** Monitors that a webhook may be limited to. */
const HEARD_MAX = 100;
/** Types that only an agent runs. */
export const AGENT_TYPES = ["icmp", "ping", "udp", "docker", "rabbitmq", "kafka", "mqtt", "snmp"] as const;
const AGENT_GAMES = ["rust", "cs2", "ark", "valheim"];

/** What of one thing does not come, or not as it was. */
export interface Remarks {
  changes(reason: string): void;
  stays(reason: string): void;
}

/** Collects what a source becomes. */
export class Draft {
  readonly manifest: ImportedManifest = { version: 1, status_pages: {}, groups: {}, monitors: {}, webhooks: {} };
  readonly #history: ImportedHistory = { incidents: [], maintenance: [] };
  readonly #remarks: Remark[] = [];
  readonly #options: ImportOptions;

  constructor(options: ImportOptions) {
    this.#options = options;
  }

  about(subject: string): Remarks {
    const add = (about: Remark["about"], reason: string) => void this.#remarks.push({ subject, about, reason });
    return { changes: (reason) => add("changes", reason), stays: (reason) => add("stays", reason) };
  }

  /** The same, of a record: what nobody reads of it is found under this name. */
  name(record: ForeignRecord, subject: string): Remarks {
    record.subject = subject;
    return this.about(subject);
  }

  /** All of it stays behind, which one line says. */
  leave(record: ForeignRecord, subject: string, reason: string): void {
    record.ignoreAll();
    this.about(subject).stays(reason);
  }

  /** Its key, or null where nothing here can run it. */
  addMonitor(name: string, monitor: ImportedMonitor, remarks: Remarks, wanted = keyFrom(name)): string | null {
    const needsAgent =
      AGENT_TYPES.some((type) => type === monitor.type) ||
      (monitor.type === "game_server" && AGENT_GAMES.includes(String(monitor.game_type)));
    if (needsAgent && this.#options.agent === undefined) {
      remarks.stays(`${monitor.type} needs an agent in your network: choose one (--agent ID)`);
      return null;
    }
    const key = freeKey(this.manifest.monitors, wanted);
    this.manifest.monitors[key] = { ...monitor, name, ...(needsAgent && { agent_id: this.#options.agent }) };
    return key;
  }

  /** Pages show monitors in the order in which they are made. */
  placeLast(key: string): void {
    const { monitors } = this.manifest;
    const monitor = monitors[key];
    if (!monitor) return;
    delete monitors[key];
    monitors[key] = monitor;
  }

  /** It hears of the monitors that it heard of there, `heard`; undefined: of all. */
  addWebhook(
    name: string,
    { channel, isActive = true, heard }: { channel: Channel; isActive?: boolean; heard?: readonly string[] },
    remarks: Remarks,
  ): void {
    const { monitors, webhooks } = this.manifest;
    const limits = heard?.filter((key) => Object.hasOwn(monitors, key)) ?? Object.keys(monitors);
    const isLimited = limits.length < Object.keys(monitors).length;
    const isUsed = heard === undefined || limits.length > 0;
    if (!isUsed) remarks.changes("no monitor that comes uses it: it is off here");
    if (isLimited && limits.length > HEARD_MAX) remarks.changes("it hears of all monitors here, not of chosen ones");
    webhooks[freeKey(webhooks, keyFrom(name))] = {
      ...channel,
      name,
      ...(isUsed && isLimited && limits.length <= HEARD_MAX && { monitors: [...limits] }),
      ...(!(isActive && isUsed) && { is_active: false }),
    };
  }

  addIncident(incident: ImportedIncident): void {
    this.#history.incidents.push(incident);
  }

  addMaintenance(window: ImportedMaintenance, remarks: Remarks): void {
    if (Date.parse(window.start_time) < Date.parse(window.end_time)) this.#history.maintenance.push(window);
    else remarks.stays("its end is not after its beginning");
  }

  /** Nothing is left out without a line that names it: what no reader asked for is named here. */
  finish(...roots: readonly ForeignRecord[]): Imported {
    const bySubject = new Map<string, string[]>();
    for (const root of roots) {
      for (const { subject, path } of root.unread(root.subject ?? "the file")) {
        const paths = bySubject.get(subject) ?? [];
        if (paths.length === 0) bySubject.set(subject, paths);
        paths.push(path);
      }
    }
    for (const [subject, paths] of bySubject) this.about(subject).stays(`not taken: ${paths.join(", ")}`);
    return { manifest: this.manifest, history: this.#history, remarks: this.#remarks };
  }
}

/** Interval and thresholds within what the service accepts; what had to change is said. */
export function within(value: number, [min, max]: [number, number], changed: (to: number) => void): number {
  const fitting = Math.min(max, Math.max(min, Math.round(value)));
  if (fitting !== value) changed(fitting);
  return fitting;
}

export const INTERVAL: [number, number] = [10, 86_400];
export const TIMEOUT: [number, number] = [1, 30];
export const THRESHOLD: [number, number] = [1, 20];

/** The credential of a sender, which goes on with it unless others could guess it. */
export function pushTokenOf(token: string | undefined, remarks: Remarks): Pick<ImportedMonitor, "push_token"> {
  if (token === undefined) return {};
  if (token.length >= PUSH_ALIAS_LENGTH_MIN) return { push_token: token };
  remarks.stays(
    `its push token is shorter than ${PUSH_ALIAS_LENGTH_MIN} characters: give its senders their new address`,
  );
  return {};
}

/** A second thing of the same name gets a number. */
export function freeKey(taken: object, wanted: string): string {
  let key = wanted;
  for (let n = 2; Object.hasOwn(taken, key); n++) key = `${wanted}-${n}`;
  return key;
}

/** The name of a page as its address takes it. */
export function pageSlug(name: string): string {
  const slug = keyFrom(name)
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  return isUsableSlug(slug) ? slug : `page-${slug || "one"}`;
}

/** A text that other tools compare with a value of a JSON body. */
export function scalarOf(text: string): string | number | boolean {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

export function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** As name servers are asked for the name of an address. */
export function reverseName(address: string): string {
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address);
  if (v4) return `${v4.slice(1).reverse().join(".")}.in-addr.arpa`;
  if (!address.includes(":") || !URL.canParse(`http://[${address}]`)) return address;
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter((part) => part !== "");
  const after = (tail ?? "").split(":").filter((part) => part !== "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const nibbles = [...before, ...zeros, ...after].map((part) => part.padStart(4, "0")).join("");
  return `${[...nibbles].reverse().join(".")}.ip6.arpa`;
}
