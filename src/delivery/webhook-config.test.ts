import { describe, expect, it } from "vitest";
import { DAY_MS } from "../lib/durations.ts";
import { changeSecret, maskUrl } from "./webhook-config.ts";

const CONFIG = {
  url: "https://example.com/in",
  secret: "a",
  previous: null,
  alert_channels: {},
  config: {},
  wording: { title: null, text: null },
};

describe("changeSecret", () => {
  it("keeps the former secret for a day", () => {
    expect(changeSecret(CONFIG, "b", 5)).toEqual({
      ...CONFIG,
      secret: "b",
      previous: { secret: "a", until: 5 + DAY_MS },
    });
  });

  it("does not cut that day short when the same secret comes again", () => {
    const rotated = changeSecret(CONFIG, "b", 5);
    expect(changeSecret(rotated, "b", 6)).toEqual(rotated);
  });

  it("keeps nothing when the secret is cleared, or when there was none", () => {
    expect(changeSecret(changeSecret(CONFIG, "b", 5), null, 6)).toEqual({ ...CONFIG, secret: null, previous: null });
    expect(changeSecret({ ...CONFIG, secret: null }, "b", 5)).toEqual({ ...CONFIG, secret: "b", previous: null });
  });
});

describe("maskUrl", () => {
  it.each([
    ["https://hooks.example.com/services/T0/B0/secret?token=x", "https://hooks.example.com/***"],
    ["https://example.com:8443/in", "https://example.com:8443/***"],
    ["discord:channel:123", "***"],
    ["not an address", "***"],
  ])("shows of %s no more than where it leads", (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });
});
