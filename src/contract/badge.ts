import { z } from "zod";

export const BADGE_STYLES = ["flat", "flat-square", "plastic", "for-the-badge", "social"] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];
export const BADGE_PERIODS = ["24h", "7d", "30d", "90d"] as const;
export type BadgePeriod = (typeof BADGE_PERIODS)[number];

export const BADGE_THEMES = ["auto", "light", "dark"] as const;
export type BadgeTheme = (typeof BADGE_THEMES)[number];

export const BadgeParams = z.object({ id: z.string() });
export const BadgeQuery = z.object({
  label: z.string().trim().max(60).optional().meta({ description: "text on the left; default: the monitor's name" }),
  style: z.enum(BADGE_STYLES).default("flat"),
  theme: z
    .enum(BADGE_THEMES)
    .default("auto")
    .meta({ description: "what it is drawn for; `auto` follows the reader's colour scheme" }),
  period: z.enum(BADGE_PERIODS).default("30d").meta({ description: "of uptime and latency" }),
});

/** The endpoint schema of shields.io, which can draw it in any style of its own. */
export const Badge = z
  .object({
    schemaVersion: z.literal(1),
    label: z.string(),
    message: z.string(),
    color: z.string().meta({ description: "#rrggbb" }),
  })
  .meta({ id: "Badge" });
export type Badge = z.infer<typeof Badge>;
