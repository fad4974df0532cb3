import { existsSync, readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { LIGHT } from "../ui/design/tokens.ts";
import { CARD, drawSocialCard, type SocialCard } from "./social-card.ts";

const read = async (path: string) => {
  const file = `node_modules/.assets${path}`;
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : null;
};
const CALM: SocialCard = {
  name: "Northwind Status",
  headline: "All systems operational",
  state: "operational",
  color: null,
  direction: "ltr",
  days: Array.from({ length: 30 }, (_, n) => (n < 3 ? "none" : n === 12 ? "down" : "up")),
};

/** What a reader of PNG gets: the colour of each pixel. */
async function draw(card: Partial<SocialCard>) {
  const bytes = await drawSocialCard({ ...CALM, ...card }, read);
  const view = new DataView(bytes.buffer);
  const chunks = new Map<string, Uint8Array>();
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const name = new TextDecoder().decode(bytes.subarray(at + 4, at + 8));
    chunks.set(name, bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const palette = chunks.get("PLTE") ?? new Uint8Array();
  const rows = inflateSync(chunks.get("IDAT") ?? new Uint8Array());
  const colorAt = (x: number, y: number) => {
    const value = rows[y * (CARD.width + 1) + 1 + x] ?? 0;
    return `#${[0, 1, 2].map((n) => (palette[value * 3 + n] ?? 0).toString(16).padStart(2, "0")).join("")}`;
  };
  const inked = (box: { x: number; y: number; width: number; height: number }) => {
    const ground = colorAt(CARD.width - 1, CARD.height - 1);
    let count = 0;
    for (let y = box.y; y < box.y + box.height; y++) {
      for (let x = box.x; x < box.x + box.width; x++) if (colorAt(x, y) !== ground) count += 1;
    }
    return count;
  };
  return { bytes, rows, colorAt, inked };
}

describe("the picture of a shared page", () => {
  it("is a PNG of 1200 by 630 that weighs little", async () => {
    const { bytes, rows } = await draw({});
    expect([...bytes.subarray(1, 4)]).toEqual([..."PNG"].map((letter) => letter.charCodeAt(0)));
    expect(rows.length).toBe((CARD.width + 1) * CARD.height);
    expect(bytes.length).toBeLessThan(30_000);
  });

  it.each([
    ["operational", "up"],
    ["degraded", "degraded"],
    ["major_outage", "down"],
    ["maintenance", "maintenance"],
    ["unknown", "neutral-9"],
  ] as const)("shows the state %s by a shape in its colour", async (state, token) => {
    const { colorAt } = await draw({ state });
    expect(colorAt(116, 276)).toBe(LIGHT[token]);
  });

  it("has the name and the sentence of the state as letters, and the days below", async () => {
    const { inked, colorAt } = await draw({});
    expect(inked({ x: 80, y: 105, width: 400, height: 45 })).toBeGreaterThan(1500);
    expect(inked({ x: 184, y: 240, width: 900, height: 70 })).toBeGreaterThan(5000);
    expect(inked({ x: 184, y: 340, width: 900, height: 90 })).toBe(0);
    expect(colorAt(80 + 12 * 35 + 5, 500)).toBe(LIGHT.down);
    expect(colorAt(80 + 13 * 35 + 5, 500)).toBe(LIGHT["neutral-7"]);
  });

  it("keeps long texts within two lines and its margins, and mirrors what is read from the right", async () => {
    const long = await draw({ headline: "Supercalifragilistic ".repeat(12), name: "x".repeat(200) });
    expect(long.inked({ x: 184, y: 340, width: 900, height: 70 })).toBeGreaterThan(5000);
    expect(long.inked({ x: 1122, y: 20, width: 78, height: 440 })).toBe(0);
    const arabic = await draw({ headline: "جميع الأنظمة تعمل", name: "حالة", direction: "rtl" });
    expect(arabic.inked({ x: 1048, y: 240, width: 72, height: 72 })).toBeGreaterThan(3000);
    expect(arabic.inked({ x: 80, y: 105, width: 400, height: 45 })).toBe(0);
  });
});
