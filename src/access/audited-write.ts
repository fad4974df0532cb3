import type { ApiError } from "../contract/errors.ts";
import type { Condition } from "../data/db.ts";
import type { GuardName } from "../data/write-guards/table.ts";

/** What the audit log says of a write. */
export interface AuditSubject {
  /** Whose account this concerns: the owner of the page, or of the object itself. */
  owner_id: string;
  target_type: string;
  target_id: string;
  monitor_id?: string | null;
  status_page_id?: string | null;
  /** One line for people, e.g. `created monitor "Shop"`. */
  summary: string;
  /** What changed, without secrets. */
  data?: Record<string, unknown>;
  /** Of several entries for the same key only the first is kept. */
  once?: string;
}

export interface Guard {
  name: GuardName;
  /** Refuses the batch when true at the moment of the write. */
  when: Condition;
  error: ApiError;
}
