/** Whether the database refused a statement because of this constraint or unique column. */
export function violates(error: unknown, constraint: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/constraint failed/i.test(cause.message) && cause.message.includes(constraint)) return true;
  }
  return false;
}

/** Whether the database could not be reached or did not answer; what it was asked to do may be tried again. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/D1_ERROR|D1_EXEC_ERROR|D1 DB|Network connection lost/.test(cause.message)) {
      return !/constraint failed|SQLITE_(?:CONSTRAINT|ERROR|MISMATCH)/i.test(cause.message);
    }
  }
  return false;
}
