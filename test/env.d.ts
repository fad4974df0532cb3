import type { D1Migration } from "@cloudflare/vitest-pool-workers";
import type { Env } from "../src/platform/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ProductEnv {
      ROOT_SECRET: string;
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}
type ProductEnv = Env;
