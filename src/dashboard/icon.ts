import { defineAsset } from "../http/assets.ts";
import { markSvg } from "../ui/design/mark.tsx";

/** Of the dashboard in a browser's tab. */
export const ICON = defineAsset("app", "svg", markSvg());
