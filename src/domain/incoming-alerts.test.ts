import { describe, expect, it } from "vitest";
import type { AlertNotification } from "../contract/incoming-alert.ts";
import { readNotification, readReport } from "./incoming-alerts.ts";

const sent = (fields: Partial<AlertNotification>): AlertNotification => ({
  status: "firing",
  groupKey: "{}:{}",
  commonLabels: {},
  commonAnnotations: {},
  alerts: [],
  ...fields,
});
const alert = (name: string, status = "firing") => ({ status, labels: { alertname: name }, annotations: {} });

describe("a notification of a group of alerts", () => {
  it.each([
    ["its summary", { commonAnnotations: { summary: "Slow\ncheckout" } }, "Slow checkout"],
    ["the name of its alerts", { commonLabels: { alertname: "DiskFull" } }, "DiskFull"],
    ["the names of all of them", { alerts: [alert("A"), alert("B"), alert("A")] }, "A, B"],
    ["its key, where it has no name", {}, "{}:{}"],
  ])("is titled by %s", (_name, fields, title) => {
    expect(readNotification(sent(fields), null).title).toBe(title);
  });

  it.each([
    ["critical", "critical"],
    ["P1", "critical"],
    ["warning", "minor"],
    ["urgent", "major"],
    ["constructor", "major"],
    [undefined, "major"],
  ])("labelled %s is %s", (severity, expected) => {
    const commonLabels: Record<string, string> = severity === undefined ? {} : { severity };
    expect(readNotification(sent({ commonLabels }), null).severity).toBe(expected);
  });

  it("lists what has its state, twenty at most, and stays within an update", () => {
    const alerts = [alert("Over", "resolved"), ...Array.from({ length: 900 }, (_, n) => alert(`A${n}`))];
    const message = readNotification(sent({ alerts }), null).message ?? "";
    expect(message.split("\n\n")).toHaveLength(20);
    expect(message).not.toContain("Over");
    const long = { description: "x".repeat(10_000) };
    expect(readNotification(sent({ alerts, commonAnnotations: long }), null).message).toHaveLength(10_000);
  });
});

it("a report has its key as title, and is serious unless it says otherwise", () => {
  expect(readReport({ key: "backup" })).toEqual({
    key: "backup",
    is_firing: true,
    title: "backup",
    message: null,
    severity: "major",
    monitor_id: null,
  });
  expect(readReport({ key: "x", status: "resolved", severity: "minor" })).toMatchObject({
    is_firing: false,
    severity: "minor",
  });
});
