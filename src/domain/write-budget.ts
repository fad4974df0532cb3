/** A row and what its indexes add, on average; larger writes are charged what they turn out to have written. */
const ROWS_PER_STATEMENT = 4;

export const chargedRows = (statements: number) => statements * ROWS_PER_STATEMENT;

/** What protects an account, answers an alarm or takes something away. */
const NEVER_REFUSED =
  /^(?:account|chat|credentials|password|session|two_factor)\.|\.(?:acknowledged|cancelled|deleted|removed|revoked|snoozed)$/;

/** Whether a write goes through although its account has used up the rows of this hour; they are counted all the same. */
export const isNeverRefused = (auditEvent: string): boolean => NEVER_REFUSED.test(auditEvent);

/** What an entry of the audit log takes besides its summary and data. */
export const AUDIT_ENTRY_BYTES = 300;
/** Of the data of one entry, as JSON. */
const AUDIT_DATA_BYTES_MAX = 4_000;
const MEMBERS_MAX = 50;

const bytesOf = (text: string) => new TextEncoder().encode(text).byteLength;

/** The data of an entry, or the names of its members where the data are too long for a log. */
export function boundAuditData(data: Record<string, unknown>): Record<string, unknown> {
  if (bytesOf(JSON.stringify(data)) <= AUDIT_DATA_BYTES_MAX) return data;
  const names = Object.keys(data).map((name) => name.slice(0, 40));
  return { shortened: true, changed: names.slice(0, MEMBERS_MAX) };
}

export function auditEntryBytes({ summary, data }: { summary: string; data: Record<string, unknown> }): number {
  return AUDIT_ENTRY_BYTES + bytesOf(summary) + bytesOf(JSON.stringify(data));
}
