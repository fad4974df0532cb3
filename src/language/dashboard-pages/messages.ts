// Made by scripts/language.ts of en.json.
import type { Tree } from "../message.ts";
export interface DashboardPagesMessages {  }
export const ENGLISH: Tree = {};
