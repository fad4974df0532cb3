/** How often to look whether npm still lives: it passes on signals, but not its own sudden death. */
const PARENT_CHECK_MS = 500;

/** Ends the process after `cleanUp` when it is asked to stop; the signal given back is aborted at that moment. */
export function onStop(cleanUp: () => Promise<void>): AbortSignal {
  const stopping = new AbortController();
  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await cleanUp().catch((error) => console.error(error));
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  }
  return stopping.signal;
}
