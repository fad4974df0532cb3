// Made by scripts/language.ts of en.json.
import type { Tree } from "../message.ts";
export interface DashboardMonitorsMessages {  }
export const ENGLISH: Tree = {};
