// Made by scripts/language.ts of en.json.
export interface DashboardIncidentsMessages {  }
