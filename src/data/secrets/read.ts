import { and, asc, count, eq, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { secrets } from "./table.ts";

export type SecretRecord = typeof secrets.$inferSelect;

/** As many of the monitors that use a secret are named. */
const USERS_MAX = 20;

export const isThisSecret = ({ id, owner_id }: Pick<SecretRecord, "id" | "owner_id">) =>
  and(eq(secrets.id, id), eq(secrets.owner_id, owner_id));

/** By its name or its id, which no name looks like. */
export async function findSecret(
  db: Db,
  { owner_id, key }: { owner_id: string; key: string },
): Promise<SecretRecord | undefined> {
  const isNamed = or(eq(secrets.name, key), eq(secrets.id, key.toLowerCase()));
  const rows = await db
    .select()
    .from(secrets)
    .where(and(eq(secrets.owner_id, owner_id), isNamed))
    .limit(1);
  return rows[0];
}

/** In the order of their names. */
export async function listSecrets(db: Db, ownerId: string, page: { limit: number; offset: number }) {
  const mine = eq(secrets.owner_id, ownerId);
  const [rows, totals] = await db.batch([
    db.select().from(secrets).where(mine).orderBy(asc(secrets.name)).limit(page.limit).offset(page.offset),
    db.select({ total: count() }).from(secrets).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export interface SecretUse {
  secret: string;
  id: string;
  name: string;
}

/** The monitors of an account that use these secrets, for each secret the first few by name. */
export async function listSecretUses(db: Db, ownerId: string, names: readonly string[]): Promise<SecretUse[]> {
  if (names.length === 0) return [];
  return db.all<SecretUse>(sql`SELECT secret, id, name FROM (
      SELECT used.value AS secret, ${monitors.id} AS id, ${monitors.name} AS name,
        row_number() OVER (PARTITION BY used.value ORDER BY ${monitors.name}, ${monitors.id}) AS place
      FROM ${monitors}, json_each(${monitors.secret_names}) used
      WHERE ${monitors.owner_id} = ${ownerId} AND secret_names <> '[]'
        AND used.value IN (SELECT value FROM json_each(${JSON.stringify(names)})))
    WHERE place <= ${USERS_MAX} ORDER BY secret, place`);
}

/** The condition that a monitor of the account uses the secret. */
export function isSecretUsed({ owner_id, name }: Pick<SecretRecord, "owner_id" | "name">): SQL {
  return sql`EXISTS (SELECT 1 FROM ${monitors}, json_each(${monitors.secret_names}) used
    WHERE ${monitors.owner_id} = ${owner_id} AND secret_names <> '[]' AND used.value = ${name})`;
}

/** Those of several accounts by their names; what does not exist is left out. */
export async function listSecretsByName(
  db: Db,
  wanted: readonly { owner_id: string; name: string }[],
): Promise<SecretRecord[]> {
  if (wanted.length === 0) return [];
  return db
    .select()
    .from(secrets)
    .where(
      sql`(${secrets.owner_id}, ${secrets.name}) IN
        (SELECT value ->> 'owner_id', value ->> 'name' FROM json_each(${JSON.stringify(wanted)}))`,
    )
    .limit(wanted.length);
}
