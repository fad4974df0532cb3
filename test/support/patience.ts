/** For what arrives by itself: distinguishes a hang from a slow machine. */
export const PATIENCE = { timeout: 60_000, interval: 20 };
