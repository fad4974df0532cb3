import { endpoints as details } from "./detail-routes.tsx";
import { endpoints as forms } from "./form-routes.ts";
import { endpoints as histories } from "./history-routes.tsx";
import { endpoints as lists } from "./list-routes.ts";
import { endpoints as receivers } from "./receivers.tsx";
import { endpoints as selections } from "./selection-routes.tsx";

/** `new` before the addresses with an id. */
export const endpoints = [...lists, ...selections, ...forms, ...details, ...histories, ...receivers];
