import { endpoints as details } from "./detail-routes.tsx";
import { endpoints as evidence } from "./evidence.tsx";
import { endpoints as forms } from "./form-routes.ts";
import { endpoints as histories } from "./history-routes.tsx";
import { endpoints as lists } from "./list-routes.ts";
import { endpoints as receivers } from "./receivers.tsx";
import { endpoints as selections } from "./selection-routes.tsx";
import { endpoints as watching } from "./watch-routes.ts";

/** `new` and `watch` before the addresses with an id. */
export const endpoints = [
  ...lists,
  ...selections,
  ...watching,
  ...forms,
  ...details,
  ...evidence,
  ...histories,
  ...receivers,
];
