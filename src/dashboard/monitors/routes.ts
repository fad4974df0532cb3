import { endpoints as details } from "./detail-routes.tsx";
import { endpoints as forms } from "./form-routes.ts";
import { endpoints as histories } from "./history-routes.tsx";
import { endpoints as lists } from "./list-routes.ts";
import { endpoints as selections } from "./selection-routes.tsx";
import { endpoints as sparklines } from "./sparkline-routes.ts";

/** `new` before the addresses with an id. */
export const endpoints = [...lists, ...selections, ...sparklines, ...forms, ...details, ...histories];
