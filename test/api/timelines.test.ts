import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { aTeam } from "../support/incidents.ts";

const HOUR = 3_600_000;
const at = (fromNow: number) => new Date(Date.now() + fromNow).toISOString();
const WRITTEN = ["first", "second", "third", "fourth"];

const KINDS = [
  {
    path: "incidents",
    table: "incident_updates",
    of: "incident_id",
    status: "investigating",
    fields: () => ({ title: "Trouble", is_public: true }),
    published: "incidents.json",
    member: "incidents",
  },
  {
    path: "maintenance",
    table: "maintenance_updates",
    of: "maintenance_id",
    status: "scheduled",
    fields: () => ({ title: "New disks", start_time: at(HOUR), end_time: at(2 * HOUR) }),
    published: "scheduled-maintenances.json",
    member: "scheduled_maintenances",
  },
];

describe.each(KINDS)("the timeline of $path", ({ path, table, of, status, fields, published, member }) => {
  it("lists what was written in one millisecond in the order in which it was written, newest first", async () => {
    const { client, status_page_id } = await aTeam();
    const { body } = await client.post(`${V1}/${path}`, { status_page_id, ...fields() });
    const now = Date.now();
    for (const [n, message] of WRITTEN.entries()) {
      // Ids that sort the other way round, and differ between the rows of this test alone.
      const id = `${"f8d2"[n]}${body.id.slice(1)}`;
      await env.DB.prepare(
        `INSERT INTO ${table} (id, ${of}, status, message, created_by, created_at, updated_at) VALUES (?, ?, ?, ?, NULL, ?, ?)`,
      )
        .bind(id, body.id, status, message, now, now)
        .run();
    }
    const newestFirst = WRITTEN.toReversed();
    const messages = (updates: { message?: string; body?: string }[]) =>
      updates.map((update) => update.message ?? update.body);
    expect(messages((await client.get(`${V1}/${path}/${body.id}/updates`)).body)).toEqual(newestFirst);
    expect(messages((await client.get(`${V1}/${path}/${body.id}`)).body.updates)).toEqual(newestFirst);
    await client.put(`${V1}/${path}/${body.id}`, { title: "Renamed" });
    const { slug } = (await client.get(`${V1}/status-pages/${status_page_id}`)).body;
    const page = (await createClient().get(`/status/${slug}/api/v2/${published}`)).body;
    expect(messages(page[member][0].incident_updates)).toEqual(newestFirst);
  });
});
