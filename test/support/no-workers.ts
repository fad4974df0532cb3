/** Stands for `cloudflare:workers` where there is no Workers runtime. */
export function waitUntil(): never {
  throw new Error("there is no Workers runtime here");
}
