import { followChanges } from "./live.ts";
import { keepTimesCurrent } from "./times.ts";

/** A wall display follows what happens, and offers nothing. */
followChanges();
keepTimesCurrent();
