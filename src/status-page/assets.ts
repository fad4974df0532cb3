import type { PageState } from "../contract/public-page.ts";
import { type Asset, defineAsset } from "../http/assets.ts";
import { markSvg } from "../ui/design/mark.tsx";
import { type ColorName, LIGHT } from "../ui/design/tokens.ts";
import { SCRIPT_TEXT } from "./script.ts";

export const SCRIPT = defineAsset("status-page", "js", SCRIPT_TEXT);

/** Of every document; a page has it in the colour of its state. */
const icon = (color: ColorName) => defineAsset("status-page", "svg", markSvg(LIGHT[color]));
const OWN = icon("accent");
const GOOD = icon("up-text");
const WARN = icon("degraded-text");
const BAD = icon("down");
const PLANNED = icon("maintenance-text");
const UNKNOWN = icon("neutral-9");

/** The icon in a browser's tab has the colour of the page's state. */
export const ICONS: Record<PageState, Asset> = {
  operational: GOOD,
  maintenance: PLANNED,
  degraded: WARN,
  partial_outage: BAD,
  major_outage: BAD,
  unknown: UNKNOWN,
};

/** Documents of no page. */
export const OWN_ICON = OWN;

export const ASSETS: readonly Asset[] = [SCRIPT, OWN, GOOD, WARN, BAD, PLANNED, UNKNOWN];
