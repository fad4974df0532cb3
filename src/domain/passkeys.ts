/** Passkeys of one account; each is a row and a name in a list. */
export const PASSKEYS_MAX = 20;

/**
 * Whether a signature's counter is ahead of the one before it. Passkeys that are kept on several devices always say 0; any
 * other that repeats itself or goes back may have been copied.
 */
export function isCounterAhead(stored: number, given: number): boolean {
  return given > stored || (given === 0 && stored === 0);
}
