import { describe, expect, it } from "vitest";
import { LOOK_DEFAULT, type PageLook, readLook } from "./preview.ts";

const STORED: PageLook = {
  ...LOOK_DEFAULT,
  name: "Shop",
  description: "Old",
  brand_color: "#112233",
  timezone: "Europe/Berlin",
  language: "de",
};
const read = (fields: Record<string, string>) => readLook(new URLSearchParams(fields), STORED);

describe("readLook", () => {
  it("takes what was typed, and keeps what the form does not have", () => {
    expect(read({ name: " New ", description: "A\r\nB" })).toEqual({ ...STORED, name: "New", description: "A\nB" });
  });

  it("keeps what is stored while a field is not valid yet", () => {
    const fields = { name: "", brand_color: "#12", timezone: "Euro", logo_url: "https:/", language: "xx" };
    expect(read({ ...fields, show_latency: "on", show_branding: "on" })).toEqual(STORED);
  });

  it("takes a layout and a font that there are, and a picture of https", () => {
    const look = { layout: "grid", font: "serif", header_image_url: "https://example.com/header.jpg" };
    expect(read(look)).toEqual({ ...STORED, ...look });
    expect(read({ layout: "masonry", font: "arial", header_image_url: "http://example.com" })).toEqual(STORED);
    expect(read({ layout: "", font: "" })).toEqual(STORED);
  });

  it("takes an emptied field as its default", () => {
    const fields = { description: "", brand_color: " ", timezone: "", language: "de", show_latency: "on" };
    const cleared = { description: null, brand_color: null, timezone: "UTC", show_branding: false };
    expect(read(fields)).toEqual({ ...STORED, ...cleared });
  });
});
