/**
 * The Worker with all that it imports late. The runner would load a late module as a part of the request that wants it
 * first, and requests that come meanwhile may not wait for what belongs to another one.
 */
import "../../src/app.ts";
import "../../src/jobs/batches.ts";
import "../../src/jobs/minute.ts";
import "../../src/public-app.ts";

export * from "../../src/entry.ts";
export { default } from "../../src/entry.ts";
