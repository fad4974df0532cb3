import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../local/command-error.ts";
import { PROJECT_ROOT } from "../local/paths.ts";
import type { Manifest } from "./archive.ts";

/** Migrations go forward only: an older backup is migrated, a newer one needs newer code. */
export function refuseNewerRelease({ migrations }: Manifest): void {
  const known = readdirSync(join(PROJECT_ROOT, "migrations"));
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Refusal(`the backup is of another release, which had ${unknown.join(", ")}`);
}
