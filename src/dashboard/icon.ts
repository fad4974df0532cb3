import { defineAsset } from "../http/assets.ts";

/** Of the dashboard in a browser's tab: an eye that is open. */
export const ICON = defineAsset(
  "app",
  "svg",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b57d0"/><path d="M4 16c3-5 7-8 12-8s9 3 12 8c-3 5-7 8-12 8s-9-3-12-8z" fill="#fff"/><circle cx="16" cy="16" r="4.5" fill="#0b57d0"/></svg>',
);
