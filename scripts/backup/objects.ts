import { randomBytes } from "node:crypto";
import { appendFileSync, createReadStream, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { type BackedUpObject, ObjectStateWrite, StateCursor, StatePage } from "../../src/contract/object-state.ts";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { OPERATOR_HEADER, signOperatorRequest } from "../../src/platform/operator-signature.ts";
import type { Platform } from "../deploy/platform.ts";
import { Refusal } from "../local/command-error.ts";
import type { Execute } from "../local/database.ts";

/** What the state of a deployment's objects is read and written through: addresses that only the root secret opens. */
export interface ObjectService {
  platform: Pick<Platform, "fetch" | "sleep">;
  url: string;
  rootSecret: string;
}

const AT_ONCE = 8;
const NAMES_AT_ONCE = 1_000;
const ATTEMPTS = 4;
const PAUSE_MS = 2_000;

const Read = z.object({ page: StatePage, next: StateCursor.nullable() });
type Written = z.infer<typeof ObjectStateWrite>;
interface NamedObject {
  kind: BackedUpObject;
  name: string;
}

/** Every monitor, every shard in each of its regions, and every agent that measured anything. */
const SOURCES: readonly [BackedUpObject, names: string][] = [
  ["monitor", "SELECT id AS name FROM monitors"],
  ["prober", "SELECT id || '/default' AS name FROM shards"],
  [
    "prober",
    `SELECT s.id || '/' || r.value AS name FROM shards s, json_each('["' || replace(s.regions, '+', '","') || '"]') r
      WHERE s.regions <> '' AND r.value <> 'default'`,
  ],
  [
    "prober",
    "SELECT 'agent/' || id AS name FROM agents UNION SELECT 'agent/' || a.value FROM monitors m, json_each(m.measured_by) a",
  ],
];
/** Writes the state of all objects to a file, a line for each page; gives their number. */
export async function readObjects(service: ObjectService, execute: Execute, file: string): Promise<number> {
  writeFileSync(file, "", { mode: 0o600 });
  let count = 0;
  for await (const names of listNames(execute)) {
    await mapConcurrently(names, AT_ONCE, async (object) => {
      const pages = await readPages(service, object);
      // All at once, so that the pages of an object follow each other.
      appendFileSync(file, pages.map((page) => `${JSON.stringify(page)}\n`).join(""));
      count += pages.length > 0 ? 1 : 0;
    });
  }
  return count;
}

async function* listNames(execute: Execute): AsyncGenerator<NamedObject[]> {
  for (const [kind, names] of SOURCES) {
    const sql = `SELECT name FROM (${names}) WHERE name > ? ORDER BY name LIMIT ${NAMES_AT_ONCE}`;
    for (let last = ""; ; ) {
      const [rows = []] = await execute([{ sql, params: [last] }]);
      const found = rows.map(({ name }) => ({ kind, name: String(name) }));
      if (found.length > 0) yield found;
      last = found.at(-1)?.name ?? "";
      if (found.length < NAMES_AT_ONCE) break;
    }
  }
}

async function readPages(service: ObjectService, object: NamedObject): Promise<Written[]> {
  const pages: Written[] = [];
  let cursor: StateCursor | null = null;
  do {
    const { page, next }: z.infer<typeof Read> = Read.parse(await call(service, "read", { ...object, cursor }));
    pages.push({ ...object, page, position: pages.length, is_last: next === null });
    cursor = next;
  } while (cursor !== null);
  const isEmpty = pages.every(
    ({ page }) => page.values.length === 0 && page.tables.every(({ rows }) => rows.length === 0),
  );
  return isEmpty ? [] : pages;
}

/** Replaces the state of the objects in a file, each at once with its last page. May be repeated. */
export async function writeObjects(service: ObjectService, file: string): Promise<number> {
  const objects = groupedByObject(file);
  let count = 0;
  const work = async () => {
    for (let next = await objects.next(); !next.done; next = await objects.next()) {
      for (const page of next.value) await call(service, "write", page);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return count;
}

async function* groupedByObject(file: string): AsyncGenerator<Written[]> {
  let pages: Written[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const page = ObjectStateWrite.parse(JSON.parse(line));
    pages.push(page);
    if (!page.is_last) continue;
    yield pages;
    pages = [];
  }
}

async function call(
  { platform, url, rootSecret }: ObjectService,
  verb: "read" | "write",
  asked: object,
): Promise<unknown> {
  const path = `/operator/objects/${verb}`;
  const body = JSON.stringify(asked);
  for (let attempt = 1; ; attempt++) {
    try {
      const signed = { method: "POST", path, body, now: Date.now(), nonce: randomBytes(18).toString("base64url") };
      const headers = {
        [OPERATOR_HEADER]: signOperatorRequest(rootSecret, signed),
        "content-type": "application/json",
      };
      const response = await platform.fetch(url + path, { method: "POST", headers, body });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      if (response.status < 500) throw new Refusal(refusalOf(url, response.status, text));
      throw new Error(`status ${response.status}`);
    } catch (error) {
      if (error instanceof Refusal || attempt === ATTEMPTS) throw error;
      await platform.sleep(PAUSE_MS * attempt);
    }
  }
}

function refusalOf(url: string, status: number, text: string): string {
  if (status !== 404) return `${url} refuses the state of its objects: ${status} ${text.slice(0, 200)}`;
  return `${url} knows neither this root secret nor this time, or is of an older release: compare the clock, npm run deploy`;
}
