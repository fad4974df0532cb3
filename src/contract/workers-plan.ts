/** Of Cloudflare: what the account that runs the installation has. */
export const WORKERS_PLANS = ["paid", "free"] as const;
export type WorkersPlan = (typeof WORKERS_PLANS)[number];
