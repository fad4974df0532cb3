import type { Env } from "../src/platform/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ProductEnv {
      ROOT_SECRET: string;
      TEST_SCHEMA: string[];
    }
  }
}
type ProductEnv = Env;
