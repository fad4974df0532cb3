// Made by scripts/language.ts of en.json.
import type { Tree } from "../message.ts";
export interface DashboardIncidentsMessages {  }
export const ENGLISH: Tree = {};
