/**
 * How Node.js is to run the agent, which lives on hosts that have other work: it collects garbage sooner and gives memory
 * back. The installation script and the image start it the same way.
 */
export const AGENT_FLAGS = ["--max-semi-space-size=1", "--optimize-for-size"] as const;

/** Of the C library. */
export const AGENT_ENV = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "65536" } as const;
