import { afterEach, describe, expect, it, vi } from "vitest";
import { createLogger, redact } from "./logger.ts";

const written = vi.spyOn(console, "error").mockImplementation(() => {});
afterEach(() => void written.mockClear());

describe("the log", () => {
  it.each([
    ["an API token", "Bearer sk_svc_0123456789abcdefABCDEF"],
    ["a heartbeat token", "hb_0123456789abcdefABCDEF"],
    ["an agent token", "ag_0123456789abcdefABCDEF"],
    ["a token in an address", "/heartbeat/x?token=anything-at-all"],
    ["a Telegram bot's token", "https://api.telegram.org/bot123456:ABCDEFGHIJKLMNOPQRSTUVWX/sendMessage"],
  ])("never shows %s", (_name, text) => {
    expect(redact(text)).toMatch(/\*\*\*/);
    expect(redact(text)).not.toMatch(/0123456789|anything|ABCDEFGH/);
  });

  it("says why a query failed, but not with which values", () => {
    const cause = new Error("D1_ERROR: no such column");
    const error = new Error("Failed query: insert … params: a-secret-value", { cause });
    createLogger({ LOG_LEVEL: "info" }).error("unhandled", error);
    expect(written.mock.lastCall?.[0]).toContain("D1_ERROR: no such column");
    expect(written.mock.lastCall?.[0]).not.toContain("a-secret-value");
  });

  it("is silent below its level", () => {
    createLogger({ LOG_LEVEL: "silent" }).error("unhandled", new Error("boom"));
    expect(written).not.toHaveBeenCalled();
  });
});
