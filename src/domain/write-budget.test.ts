import { describe, expect, it } from "vitest";
import { auditEntryBytes, boundAuditData, isNeverRefused } from "./write-budget.ts";

describe("an account without budget", () => {
  it.each([
    ["incident.acknowledged", true],
    ["escalation.acknowledged", true],
    ["incident.snoozed", true],
    ["credentials.revoked", true],
    ["token.revoked", true],
    ["member.removed", true],
    ["password.changed", true],
    ["two_factor.enabled", true],
    ["session.ended", true],
    ["account.deleted", true],
    ["webhook.deleted", true],
    ["invitation.cancelled", true],
    ["chat.command", true],
    ["token.created", false],
    ["chat_account.linked", false],
    ["monitor.updated", false],
    ["incident.created", false],
    ["agent.host_changed", false],
  ])("may still do what %s records: %s", (event, isAllowed) => {
    expect(isNeverRefused(event)).toBe(isAllowed);
  });
});

describe("an entry of the audit log", () => {
  it("keeps its data as long as they are short", () => {
    const data = { name: "x".repeat(3_000) };
    expect(boundAuditData(data)).toBe(data);
  });

  it.each([
    ["a long text", { description: "ü".repeat(3_000), name: "Shop" }],
    ["many members", Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`member ${n}`, "xxxxx"]))],
    ["a long name", { ["x".repeat(5_000)]: 1 }],
  ])("names what changed instead where there is %s", (_, data) => {
    const bounded = boundAuditData(data);
    expect(bounded).toMatchObject({ shortened: true });
    expect(bounded.changed).toContain(Object.keys(data)[0]?.slice(0, 40));
    expect(auditEntryBytes({ summary: "", data: bounded })).toBeLessThan(4_000);
  });
});
