/** In place of `cloudflare:sockets` outside of the Workers runtime. */
export function connect(): never {
  throw new Error("this runtime has no Workers sockets");
}
