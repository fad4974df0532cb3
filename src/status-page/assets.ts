import type { PageState } from "../contract/public-page.ts";
import { type Asset, defineAsset } from "../http/assets.ts";
import { SCRIPT_TEXT } from "./script.ts";

export const SCRIPT = defineAsset("status-page", "js", SCRIPT_TEXT);

const icon = (color: string) =>
  defineAsset(
    "status-page",
    "svg",
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="${color}"/></svg>`,
  );
const [GOOD, WARN, BAD, PLANNED, UNKNOWN] = ["#1f8a5b", "#c77f00", "#c8322b", "#1d5fa8", "#69727f"].map(icon) as [
  Asset,
  Asset,
  Asset,
  Asset,
  Asset,
];

/** The icon in a browser's tab has the colour of the page's state. */
export const ICONS: Record<PageState, Asset> = {
  operational: GOOD,
  maintenance: PLANNED,
  degraded: WARN,
  partial_outage: BAD,
  major_outage: BAD,
  unknown: UNKNOWN,
};

export const ASSETS: readonly Asset[] = [SCRIPT, GOOD, WARN, BAD, PLANNED, UNKNOWN];
