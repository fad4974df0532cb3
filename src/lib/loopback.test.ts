import { describe, expect, it } from "vitest";
import { isLoopbackUrl } from "./loopback.ts";

describe("a loopback address", () => {
  it.each([
    ["http://127.0.0.1:8787", true],
    ["http://localhost:8787/app", true],
    ["http://[::1]:8787", true],
    ["https://status.example.com", false],
    ["https://localhost.example.com", false],
    ["https://127.0.0.1.example.com", false],
    ["http://10.0.0.1", false],
    ["http://0.0.0.0", false],
  ])("is nothing but the machine itself: %s (%s)", (url, isLoopback) => {
    expect(isLoopbackUrl(url)).toBe(isLoopback);
  });
});
