import type { Badge, BadgeStyle, BadgeTheme } from "../contract/badge.ts";
import { DARK, LIGHT } from "../ui/design/tokens.ts";
import type { PublicMonitorView } from "./monitor-view.ts";

/** White can be read on all of them. */
const GOOD = LIGHT["up-text"];
const WARN = LIGHT["degraded-text"];
const BAD = LIGHT["down-text"];
const QUIET = LIGHT["neutral-11"];
const PLANNED = LIGHT["maintenance-text"];

/** Of the left half: darker than any status, and on dark grounds lighter than the ground. */
const LABELS = { light: LIGHT["neutral-12"], dark: DARK["neutral-7"] };

const STATUS_COLORS: Record<PublicMonitorView["status"], string> = {
  up: GOOD,
  degraded: WARN,
  down: BAD,
  maintenance: PLANNED,
  unknown: QUIET,
  pending: QUIET,
};

export function buildStatusBadge(
  label: string,
  { status, label: message }: Pick<PublicMonitorView, "status" | "label">,
): Badge {
  return { schemaVersion: 1, label, message: message.toLowerCase(), color: STATUS_COLORS[status] };
}

export function buildUptimeBadge(label: string, percentage: number | null): Badge {
  if (percentage === null) return noData(label);
  const color = percentage >= 99.9 ? GOOD : percentage >= 99 ? WARN : BAD;
  return { schemaVersion: 1, label, message: `${Math.floor(percentage * 100) / 100}%`, color };
}

export function buildLatencyBadge(label: string, meanMs: number | null): Badge {
  if (meanMs === null) return noData(label);
  return { schemaVersion: 1, label, message: `${Math.round(meanMs)} ms`, color: PLANNED };
}

const noData = (label: string): Badge => ({ schemaVersion: 1, label, message: "no data", color: QUIET });

interface Look {
  height: number;
  radius: number;
  font: number;
  padding: number;
  isLoud: boolean;
}
const LOOKS: Record<BadgeStyle, Look> = {
  flat: { height: 20, radius: 3, font: 11, padding: 6, isLoud: false },
  "flat-square": { height: 20, radius: 0, font: 11, padding: 6, isLoud: false },
  plastic: { height: 18, radius: 4, font: 11, padding: 6, isLoud: false },
  social: { height: 20, radius: 10, font: 11, padding: 8, isLoud: false },
  "for-the-badge": { height: 28, radius: 4, font: 10, padding: 12, isLoud: true },
};

/** One SVG without script or font of its own; `textLength` makes widths equal with any font of the reader. */
export function renderBadge(badge: Badge, { style, theme }: { style: BadgeStyle; theme: BadgeTheme }): string {
  const look = LOOKS[style];
  const follow =
    theme === "auto" ? `<style>@media (prefers-color-scheme:dark){.label{fill:${LABELS.dark}}}</style>` : "";
  const [label, message] = [badge.label, badge.message].map((text) => (look.isLoud ? text.toUpperCase() : text)) as [
    string,
    string,
  ];
  const [left, right] = [widthOf(label, look), widthOf(message, look)];
  const [first, second] = [left + 2 * look.padding, right + 2 * look.padding];
  const write = (text: string, x: number, width: number) =>
    `<text x="${x}" y="${look.height / 2}" dy=".35em" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
  const name = escapeXml(`${badge.label}: ${badge.message}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="${look.height}" role="img" aria-label="${name}"><title>${name}</title>${follow}<clipPath id="r"><rect width="${first + second}" height="${look.height}" rx="${look.radius}"/></clipPath><g clip-path="url(#r)"><rect class="label" width="${first}" height="${look.height}" fill="${LABELS[theme === "dark" ? "dark" : "light"]}"/><rect x="${first}" width="${second}" height="${look.height}" fill="${badge.color}"/></g><g fill="${LIGHT["on-accent"]}" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="${look.font}"${look.isLoud ? ' font-weight="bold"' : ""}>${write(label, first / 2, left)}${write(message, first + second / 2, right)}</g></svg>`;
}

/** Verdana's advance widths, near enough; characters outside Latin take a full square. */
function widthOf(text: string, { font, isLoud }: Look): number {
  const units = [...text].reduce((sum, character) => sum + unitsOf(character), 0);
  return Math.max(1, Math.round(units * font * (isLoud ? 1.2 : 1)));
}

function unitsOf(character: string): number {
  if (/[ijl.,:;|!' ]/.test(character)) return 0.36;
  if (/[mwMW%@]/.test(character)) return 0.95;
  return /[\u0020-\u04ff]/.test(character) ? 0.62 : 1;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
