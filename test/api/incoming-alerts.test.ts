import { describe, expect, it } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { aTeam, INCIDENTS, namesOf } from "../support/incidents.ts";
import { createMember } from "../support/members.ts";

const at = (page: string, rest = "") => `${V1}/status-pages/${page}/alerts${rest}`;
const NOTIFICATION = {
  version: "4",
  receiver: "vigil",
  status: "firing",
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  groupLabels: { alertname: "DiskFull" },
  commonLabels: { alertname: "DiskFull", severity: "critical" },
  commonAnnotations: { summary: "Disks of the database fill up" },
  externalURL: "https://alerts.example",
  alerts: [
    {
      status: "firing",
      labels: { alertname: "DiskFull", instance: "db-1" },
      annotations: { summary: "94 % used" },
      startsAt: "2026-01-02T03:04:05Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "https://prometheus.example/graph",
      fingerprint: "a1",
    },
  ],
};

describe("a reported alert", () => {
  it("opens one internal incident, however often it is repeated, and its end resolves that", async () => {
    const { client, status_page_id, monitor_id } = await aTeam();
    const report = { key: "backup/db-1", title: "Backup is late", message: "3 hours", monitor_id };
    const opened = await client.post(at(status_page_id), report);
    expect(opened).toMatchObject({ status: 200, body: { is_open: true } });
    expect((await client.post(at(status_page_id), report)).body).toEqual(opened.body);
    const incident = await client.get(`${INCIDENTS}/${opened.body.incident_id}`);
    expect(incident.body).toMatchObject({
      title: "Backup is late",
      severity: "major",
      is_public: false,
      monitor_ids: [monitor_id],
      updates: [{ message: "3 hours" }],
    });
    const ended = await client.post(at(status_page_id), { ...report, status: "resolved", message: "Done" });
    expect(ended.body).toEqual({ ...opened.body, is_open: false });
    expect((await client.get(`${INCIDENTS}/${opened.body.incident_id}`)).body.status).toBe("resolved");
    expect(await namesOf(status_page_id)).toEqual(["incident.created", "incident.resolved"]);
  });

  it("opens another incident once the one before is over", async () => {
    const { client, status_page_id } = await aTeam();
    const first = await client.post(at(status_page_id), { key: "x" });
    await client.post(at(status_page_id), { key: "x", status: "resolved" });
    const second = await client.post(at(status_page_id), { key: "x" });
    expect(second.body.is_open).toBe(true);
    expect(second.body.incident_id).not.toBe(first.body.incident_id);
    const gone = await client.post(at(status_page_id), { key: "y", status: "resolved" });
    expect(gone.body).toEqual({ incident_id: null, is_open: false });
  });

  it("opens one incident when it is reported ten times at once", async () => {
    const { client, status_page_id } = await aTeam();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.post(at(status_page_id), { key: "x" })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.incident_id}`)).size).toBe(1);
    expect(await namesOf(status_page_id)).toEqual(["incident.created"]);
  });

  it("is another one on another page", async () => {
    const [here, there] = [await aTeam(), await aTeam()];
    const first = await here.client.post(at(here.status_page_id), { key: "x" });
    const second = await there.client.post(at(there.status_page_id), { key: "x" });
    expect(first.body.incident_id).not.toBe(second.body.incident_id);
    expect((await there.client.post(at(here.status_page_id), { key: "x" })).status).toBe(404);
    const elsewhere = { key: "z", monitor_id: here.monitor_id };
    expect((await there.client.post(at(there.status_page_id), elsewhere)).status).toBe(400);
  });

  it("is accepted from a token with this right alone, and from no viewer", async () => {
    const { account, client, status_page_id } = await aTeam();
    const limits = { scopes: ["incidents.write"], status_page_ids: [status_page_id] };
    const made = await client.post(`${CORE}/user/api-tokens`, { name: "Alertmanager", ...limits });
    const program = createClient(made.body.token);
    expect((await program.post(at(status_page_id), { key: "x" })).status).toBe(200);
    expect((await program.post(`${V1}/monitors`, { name: "x", type: "http", target: "http://x.test" })).status).toBe(
      403,
    );
    const { member } = await createMember(account, { role: "viewer" }, status_page_id);
    expect((await member.client.post(at(status_page_id), { key: "x" })).status).toBe(403);
  });
});

describe("an alert in a format of its own", () => {
  it("is read where the query says", async () => {
    const { client, status_page_id } = await aTeam();
    const query = new URLSearchParams({ key: "/issue/id", title: "/issue/title", status: "/action", over: "Fixed" });
    const path = at(status_page_id, `/mapped?${query}`);
    const opened = await client.post(path, { action: "created", issue: { id: 42, title: "Checkout fails" } });
    const incident = `${INCIDENTS}/${opened.body.incident_id}`;
    expect((await client.get(incident)).body).toMatchObject({ title: "Checkout fails", severity: "major" });
    expect((await client.post(path, { action: "fixed", issue: { id: 42 } })).body.is_open).toBe(false);
    expect((await client.get(incident)).body.status).toBe("resolved");
  });

  it("is refused where it has no key, or the query is no pointer", async () => {
    const { client, status_page_id } = await aTeam();
    const send = (key: string) => client.post(at(status_page_id, `/mapped?key=${key}`), { issue: { id: {} } });
    expect([(await send("/issue/id")).status, (await send("/__proto__")).status, (await send("issue")).status]).toEqual(
      [400, 400, 400],
    );
  });
});

describe("a notification of Alertmanager", () => {
  it("opens an incident of its group, with severity and what fires, and resolves it", async () => {
    const { client, status_page_id, monitor_id } = await aTeam();
    const path = at(status_page_id, `/alertmanager?monitor_id=${monitor_id}`);
    const opened = await client.post(path, NOTIFICATION);
    expect([opened.status, opened.headers.get("vigil-unknown-fields")]).toEqual([200, null]);
    const path_ = `${INCIDENTS}/${opened.body.incident_id}`;
    expect((await client.get(path_)).body).toMatchObject({
      title: "Disks of the database fill up",
      severity: "critical",
      monitor_ids: [monitor_id],
      updates: [{ message: "DiskFull on db-1: 94 % used" }],
    });
    expect((await client.post(path, { ...NOTIFICATION, alerts: [] })).body).toEqual(opened.body);
    const [alert] = NOTIFICATION.alerts;
    await client.post(path, { ...NOTIFICATION, status: "resolved", alerts: [{ ...alert, status: "resolved" }] });
    expect((await client.get(path_)).body.status).toBe("resolved");
  });

  it("takes the members that Grafana adds", async () => {
    const { client, status_page_id } = await aTeam();
    const grafana = { ...NOTIFICATION, orgId: 1, title: "[FIRING:1]", state: "alerting", message: "x" };
    expect((await client.post(at(status_page_id, "/alertmanager"), grafana)).body.is_open).toBe(true);
  });

  it("is refused without its group", async () => {
    const { client, status_page_id } = await aTeam();
    const { groupKey: _, ...rest } = NOTIFICATION;
    expect((await client.post(at(status_page_id, "/alertmanager"), rest)).status).toBe(400);
  });
});
