import type { Db, Statement } from "../db.ts";
import { isThisSecret, type SecretRecord } from "./read.ts";
import { secrets } from "./table.ts";

export function insertSecret(db: Db, secret: SecretRecord): Statement {
  return db.insert(secrets).values(secret);
}

export function replaceSecretValue(db: Db, { id, owner_id, sealed, updated_at }: SecretRecord): Statement {
  return db.update(secrets).set({ sealed, updated_at }).where(isThisSecret({ id, owner_id }));
}

export function deleteSecret(db: Db, secret: SecretRecord): Statement {
  return db.delete(secrets).where(isThisSecret(secret));
}
