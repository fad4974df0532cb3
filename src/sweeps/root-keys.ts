import type { Scope } from "../access/scope.ts";
import { SubscriberAddress } from "../contract/subscriber.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../data/sealed-values/columns.ts";
import { listOutdatedValues, type SealedValue } from "../data/sealed-values/read.ts";
import { renewLostCredentials, replaceEndpointHash, replaceSealedValue } from "../data/sealed-values/write.ts";
import { findSubscriber } from "../data/subscribers/read.ts";
import { DAY_MS } from "../lib/durations.ts";
import { rootKeysOf } from "../platform/root-keys.ts";
import { currentSealPrefix, seal, unseal } from "../platform/seal.ts";
import { endpointHashes } from "../platform/subscriber-tokens.ts";
import { advanceSweep } from "./resumable-sweep.ts";

/**
 * After a change of the root key, seals everything under the current one, so many values a minute, table by table in the
 * order of rows. A value whose key is not known stays as it is. Rounds repeat while there are several keys, because
 * Workers of the time before the change may still have written under the earlier key; with one key there is one round.
 */
const EVERY_MS = DAY_MS;
const ONCE_MS = 36_500 * DAY_MS;
/** Each takes up to three of the 1,000 queries of an invocation. */
const VALUES_MAX = 250;
const CREDENTIALS_MAX = 500;
const BATCH = 50;
const CREDENTIALS = "push credentials";

export async function sweepRootKeys(scope: Scope): Promise<void> {
  const { all, current } = rootKeysOf(scope.settings.ROOT_SECRET);
  const known = all.map(({ id }) => id);
  await advanceSweep(scope, {
    name: `root keys ${known.join(",")}`,
    every_ms: known.length > 1 ? EVERY_MS : ONCE_MS,
    visit: async (after) => {
      const [name, rowid] = after === "" ? [CREDENTIALS, 0] : parsePosition(after);
      if (name !== CREDENTIALS) return resealAfter(scope, name, rowid);
      const lost = { current: current.id, known, after: rowid, limit: CREDENTIALS_MAX };
      const renewed = await renewLostCredentials(scope.db, lost);
      if (renewed.length < CREDENTIALS_MAX) return resealAfter(scope, "", 0);
      return `${CREDENTIALS}:${Math.max(...renewed.map((row) => row.rowid))}`;
    },
  });
}

/** `<what>:<rowid>` */
function parsePosition(position: string): [name: string, rowid: number] {
  const [name = "", rowid] = position.split(":");
  return [name, Number(rowid)];
}

async function resealAfter(scope: Scope, name: string, rowid: number): Promise<string | null> {
  const first = Math.max(
    SEALED_COLUMNS.findIndex((column) => column.name === name),
    0,
  );
  const prefix = currentSealPrefix(scope.settings.ROOT_SECRET);
  let room = VALUES_MAX;
  for (const [n, column] of SEALED_COLUMNS.slice(first).entries()) {
    const position = { after: n === 0 ? rowid : 0, limit: room };
    const values = await listOutdatedValues(scope.db, column, { prefix, ...position });
    await reseal(scope, column, values);
    room -= values.length;
    const last = values.at(-1);
    if (room === 0 && last) return `${column.name}:${last.rowid}`;
  }
  return null;
}

async function reseal(scope: Scope, column: SealedColumn, values: readonly SealedValue[]): Promise<void> {
  const statements: Statement[] = [];
  for (const value of values) statements.push(...(await resealOne(scope, column, value)));
  for (let n = 0; n < statements.length; n += BATCH) await runBatch(scope.db, statements.slice(n, n + BATCH));
}

/** Requests for the same address find the subscription by it. */
async function currentEndpointHash(
  { db, settings }: Pick<Scope, "db" | "settings">,
  subscriberId: string,
  plain: unknown,
): Promise<string | undefined> {
  const subscriber = await findSubscriber(db, subscriberId);
  const { endpoint } = SubscriberAddress.parse(plain);
  return subscriber && endpointHashes(settings.ROOT_SECRET, subscriber.channel, endpoint)[0];
}

async function resealOne({ db, settings, log }: Scope, column: SealedColumn, value: SealedValue): Promise<Statement[]> {
  try {
    const plain = await unseal(settings.ROOT_SECRET, value.bound_to, value.sealed);
    const statement = replaceSealedValue(db, column, value, await seal(settings.ROOT_SECRET, value.bound_to, plain));
    if (column.name !== "subscribers") return [statement];
    const hash = await currentEndpointHash({ db, settings }, value.bound_to, plain);
    return hash === undefined ? [statement] : [statement, replaceEndpointHash(db, value.bound_to, hash)];
  } catch (error) {
    log.error("sealed value", error, { table: column.name, id: value.bound_to });
    return [];
  }
}
