import type { PageState } from "../contract/public-page.ts";
import { type ColorName, LIGHT } from "../ui/design/tokens.ts";
import { type GlyphOutline, loadGlyphs, type ReadAsset } from "./glyphs.ts";
import { outlinesOf, Picture, type Point } from "./picture.ts";
import { writePng } from "./png.ts";
import { cleanText, type Shown, shorten, toVisualOrder } from "./text-line.ts";
import { METRICS, MISSING } from "./truetype.ts";

/** What chats show of a shared page: its name and its state, as large as a thumb can read. */
export interface SocialCard {
  name: string;
  headline: string;
  state: PageState;
  /** Of the brand; null for that of the product. */
  color: string | null;
  direction: "ltr" | "rtl";
  /** The worst state of each day that is known, the oldest first. */
  days: readonly CardDay[];
}

export type CardDay = "up" | "degraded" | "down" | "maintenance" | "none";

export const CARD = { width: 1200, height: 630 } as const;
const MARGIN = 80;
const NAME = { size: 40, y: 142 };
const HEADLINE = { size: 76, y: 300, line: 92, lines: 2 };
const SHAPE = { size: 72, gap: 32 };
const STRIP = { y: 478, height: 72, gap: 8 };
const ELLIPSIS = "…";

const LOOKS: Record<PageState, { ground: ColorName; solid: ColorName; sides: number }> = {
  operational: { ground: "up-tint", solid: "up", sides: 48 },
  maintenance: { ground: "maintenance-tint", solid: "maintenance", sides: 48 },
  degraded: { ground: "degraded-tint", solid: "degraded", sides: 3 },
  partial_outage: { ground: "down-tint", solid: "down", sides: 8 },
  major_outage: { ground: "down-tint", solid: "down", sides: 8 },
  unknown: { ground: "neutral-3", solid: "neutral-9", sides: 4 },
};
const DAYS: Record<CardDay, ColorName> = {
  up: "neutral-7",
  degraded: "degraded",
  down: "down",
  maintenance: "maintenance",
  none: "neutral-7",
};

export async function drawSocialCard(card: SocialCard, read: ReadAsset): Promise<Uint8Array<ArrayBuffer>> {
  const look = LOOKS[card.state];
  const [name, headline] = [cleanText(card.name), cleanText(card.headline)];
  const points = new Set([...lineOf(name), ...lineOf(headline), ...lineOf(ELLIPSIS)].map(({ drawn }) => drawn));
  const letters = await loadGlyphs(points, ["bold", "regular"], read);
  const picture = new Picture({ ...CARD, ground: LIGHT[look.ground] });
  const isRtl = card.direction === "rtl";
  const write = (text: string, place: { y: number; size: number; inset: number }, color: string) => {
    const width = widthOf(text, place.size, letters);
    const x = isRtl ? CARD.width - MARGIN - place.inset - width : MARGIN + place.inset;
    picture.fill(shapesOf(text, { at: { x, y: place.y }, size: place.size, letters }), color);
  };
  picture.fillRectangle({ x: 0, y: 0, width: CARD.width, height: 12 }, card.color ?? LIGHT.accent);
  const fits = (size: number, inset: number) => (text: string) =>
    widthOf(text, size, letters) <= CARD.width - 2 * MARGIN - inset;
  write(shorten(name, fits(NAME.size, 0)), { ...NAME, inset: 0 }, LIGHT["neutral-11"]);

  const inset = SHAPE.size + SHAPE.gap;
  const lines = wrap(headline, fits(HEADLINE.size, inset));
  const middle = HEADLINE.y - (METRICS.cap_height / METRICS.units_per_em / 2) * HEADLINE.size;
  const half = SHAPE.size / 2;
  const center = { x: isRtl ? CARD.width - MARGIN - half : MARGIN + half, y: middle };
  picture.fill([polygon(center, half, look.sides)], LIGHT[look.solid]);
  for (const [n, line] of lines.entries()) {
    write(line, { y: HEADLINE.y + n * HEADLINE.line, size: HEADLINE.size, inset }, LIGHT["neutral-12"]);
  }
  drawStrip(picture, card.days, isRtl);
  return writePng(picture);
}

function drawStrip(picture: Picture, days: readonly CardDay[], isRtl: boolean): void {
  if (days.length === 0) return;
  const step = (CARD.width - 2 * MARGIN + STRIP.gap) / days.length;
  for (const [n, day] of (isRtl ? days.toReversed() : days).entries()) {
    const height = day === "none" ? 2 : STRIP.height;
    const [x, next] = [n, n + 1].map((at) => Math.round(MARGIN + at * step)) as [number, number];
    const box = { x, y: STRIP.y + STRIP.height - height, width: next - x - STRIP.gap, height };
    picture.fillRectangle(box, LIGHT[DAYS[day]]);
  }
}

/** A triangle stands on its side, an octagon and a square, too. */
function polygon(center: Point, radius: number, sides: number): Point[] {
  const turn = sides === 3 ? -Math.PI / 2 : Math.PI / sides;
  return Array.from({ length: sides }, (_, n) => {
    const angle = turn + (n * 2 * Math.PI) / sides;
    return { x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) };
  });
}

/** At most two lines, broken between words. */
function wrap(text: string, isFitting: (text: string) => boolean): string[] {
  if (isFitting(text)) return [text];
  const words = text.split(" ");
  let count = 1;
  while (count < words.length && isFitting(words.slice(0, count + 1).join(" "))) count++;
  const first = words.slice(0, count).join(" ");
  const rest = words.slice(count).join(" ");
  return [shorten(first, isFitting), ...(rest === "" ? [] : [shorten(rest, isFitting)])].slice(0, HEADLINE.lines);
}

type Letters = ReadonlyMap<number, GlyphOutline>;
const lineOf = (text: string): Shown[] => toVisualOrder(text);
const letterOf = ({ drawn, half }: Shown, letters: Letters): GlyphOutline | undefined =>
  half === "second" ? undefined : (letters.get(drawn) ?? MISSING);

function widthOf(text: string, size: number, letters: Letters): number {
  const sum = lineOf(text).reduce((total, shown) => total + (letterOf(shown, letters)?.advance ?? 0), 0);
  return (sum * size) / METRICS.units_per_em;
}

function shapesOf(text: string, { at, size, letters }: { at: Point; size: number; letters: Letters }): Point[][] {
  const scale = size / METRICS.units_per_em;
  let x = at.x;
  return lineOf(text).flatMap((shown) => {
    const letter = letterOf(shown, letters);
    if (!letter) return [];
    const outlines = outlinesOf(letter, { x, y: at.y }, scale);
    x += letter.advance * scale;
    return outlines;
  });
}
