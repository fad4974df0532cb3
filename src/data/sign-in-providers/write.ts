import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { SignInProviderRecord } from "./read.ts";
import { signInProviders } from "./table.ts";

export function insertSignInProvider(db: Db, provider: SignInProviderRecord): Statement {
  return db.insert(signInProviders).values(provider);
}

export function updateSignInProvider(db: Db, { id, ...provider }: SignInProviderRecord): Statement {
  return db.update(signInProviders).set(provider).where(eq(signInProviders.id, id));
}

export function deleteSignInProvider(db: Db, id: string): Statement {
  return db.delete(signInProviders).where(eq(signInProviders.id, id));
}
