import { describe, expect, it } from "vitest";
import { cachet2, cachet3 } from "../../../test/support/status-tools.ts";
import { importCachet } from "./cachet.ts";

const saidBy = ({ remarks }: ReturnType<typeof importCachet>, subject: string) =>
  remarks.filter((each) => each.subject === subject).map(({ reason }) => reason);

describe("a status page of Cachet 2", () => {
  const imported = importCachet(cachet2(300));
  const { manifest, history } = imported;

  it("brings components and groups in their order", () => {
    expect(Object.keys(manifest.monitors)).toHaveLength(299);
    expect(Object.keys(manifest.monitors)[0]).toBe("component-299");
    expect(manifest.monitors["component-1"]).toMatchObject({
      type: "heartbeat",
      paused: true,
      group: "page-status.web",
    });
    expect(saidBy(imported, 'component "Component 3"')).toEqual(["it is not enabled"]);
    expect(saidBy(imported, 'component "Component 1"')).toContain("not taken: link");
    expect(saidBy(imported, 'group "Web"')).toEqual([expect.stringContaining("not for all")]);
  });

  it("brings incidents that are over and maintenance with an end", () => {
    expect(history.incidents).toHaveLength(299);
    expect(history.incidents[0]).toEqual({
      title: "Slow answers 0",
      severity: "minor",
      status_page: "page-status",
      started_at: "2024-01-01T00:00:00.000Z",
      resolved_at: "2024-01-01T01:00:00.000Z",
      monitors: ["component-0"],
      description: "**2024-01-01 00:00 UTC**\n\nWe look at it: 0\n\n**2024-01-01 01:00 UTC, fixed**\n\nFixed",
    });
    expect(history.incidents.find(({ title }) => title === "Slow answers 4")?.is_public).toBe(false);
    expect(saidBy(imported, 'incident "Slow answers 2"')).toEqual([expect.stringContaining("it is not over")]);
    expect(history.maintenance).toHaveLength(3);
    expect(saidBy(imported, 'maintenance "Upgrade 3"')).toEqual(["it has no end: plan it anew"]);
    expect(saidBy(imported, "subscribers")).toEqual([expect.stringContaining("none is written to")]);
  });
});

describe("a status page of Cachet 3", () => {
  const imported = importCachet(cachet3(300));

  it("brings the same from the answers of its API", () => {
    expect(Object.keys(imported.manifest.monitors)).toHaveLength(300);
    expect(imported.manifest.status_pages).toEqual({ shop: { name: "Shop" } });
    expect(imported.history.incidents).toHaveLength(300);
    expect(imported.history.incidents[1]).toMatchObject({
      started_at: "2024-01-02T00:00:00.000Z",
      resolved_at: "2024-01-02T03:00:00.000Z",
    });
    expect(imported.history.maintenance).toMatchObject([{ key: "1", end_time: "2024-01-01T02:00:00.000Z" }]);
  });

  it("says that a page of a list is not all", () => {
    const cut = importCachet('{"components":{"meta":{"pagination":{"total":21}},"data":[{"id":1,"name":"a"}]}}');
    expect(saidBy(cut, "the file")).toEqual([expect.stringContaining("the rest of its components")]);
  });

  it("is refused where it holds no lists", () => {
    expect(() => importCachet('{"message":"Unauthenticated."}')).toThrow("holds nothing of Cachet");
  });
});
