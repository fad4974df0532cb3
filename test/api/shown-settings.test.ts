import { describe, expect, it } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { EXAMPLES } from "../support/examples.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

/** Settings and results that every answer has to show, not only the one that was asked for them. */

describe("a pushed monitor in lists", () => {
  it("shows its last push, as at its own address", async () => {
    const { client } = await createAccount();
    const beat = await createMonitor(client, { type: "heartbeat", target: undefined, paused: false });
    const api = await createMonitor(client, { type: "api", target: undefined, paused: false });
    const anonymous = createClient();
    expect(
      (await anonymous.post(`/heartbeat/${beat.id}?token=${beat.heartbeat_token}`, { duration_ms: 7 })).status,
    ).toBe(200);
    const key = { authorization: `Bearer ${api.push_key}` };
    expect((await anonymous.post(`${V1}/api-monitoring/push`, { latency_ms: 9 }, key)).status).toBe(200);
    const { body: listed } = await client.get(`${V1}/monitors`);
    for (const [id, latency] of [
      [beat.id, 7],
      [api.id, 9],
    ] as const) {
      const shown = listed.find((each: { id: string }) => each.id === id);
      const { body } = await client.get(`${V1}/monitors/${id}`);
      expect(shown).toMatchObject({ last_check: expect.any(String), last_latency_ms: latency });
      expect([shown.last_check, shown.last_message]).toEqual([body.last_check, body.last_message]);
    }
  });

  it("takes a heartbeat by its token in the address, with any bearer beside it", async () => {
    const { client } = await createAccount();
    const { id, heartbeat_token } = await createMonitor(client, {
      type: "heartbeat",
      target: undefined,
      paused: false,
    });
    expect((await client.post(`/heartbeat/${id}?token=${heartbeat_token}`)).body).toMatchObject({ ok: true });
    expect((await client.post(`/heartbeat/${id}?token=hb_nothing`)).status).toBe(401);
  });
});

describe("the answer about a composite", () => {
  it("says that its members leave the public page, and theirs that it stands for them", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const member = await createMonitor(account.client, { status_page_id });
    expect(member.notices).toEqual([]);
    const body = { type: "composite", target: undefined, status_page_id, child_ids: [member.id] };
    const composite = await createMonitor(account.client, body);
    expect(composite.notices).toEqual([
      { path: "child_ids", message: "its member leaves the public page, which shows this composite instead" },
    ]);
    const again = await account.client.get(`${V1}/monitors/${member.id}`);
    expect(again.body.notices).toEqual([
      { path: "parent_monitor_id", message: "the public page shows its composite instead of it" },
    ]);
    const alone = await account.client.put(`${V1}/monitors/${composite.id}`, { child_ids: [] });
    expect(alone.body.notices).toEqual([]);
  });
});

describe("the impact of an incident", () => {
  it("stands on the public page with its Markdown rendered, and in its JSON as written", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const { slug } = (await account.client.get(`${V1}/status-pages/${status_page_id}`)).body;
    const impact = "Orders <b>wait</b> for **an hour**";
    const input = { status_page_id, title: "Checkout", is_public: true, impact };
    const { body: incident } = await account.client.post(`${V1}/incidents`, input);
    const reader = createClient();
    expect((await reader.get(`/status/${slug}/summary.json`)).body.incidents).toMatchObject([{ impact }]);
    for (const path of [`/status/${slug}`, `/status/${slug}/incidents/${incident.id}`]) {
      expect((await reader.get(path)).body).toContain(
        "Impact: Orders &lt;b&gt;wait&lt;/b&gt; for <strong>an hour</strong></p>",
      );
    }
    await account.client.put(`${V1}/incidents/${incident.id}`, { impact: null });
    expect((await reader.get(`/status/${slug}/summary.json`)).body.incidents).toMatchObject([{ impact: "" }]);
  });
});

describe("the footer of a page", () => {
  it("shows its Markdown rendered on every document of the page, beside the description's", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const texts = {
      description: "Run by *two* people",
      footer_text:
        "Call **us** or [write](https://example.com/help)\n\n<b>Night shift</b>\n\n- [never](javascript:alert)",
    };
    const { slug } = (await account.client.put(`${V1}/status-pages/${status_page_id}`, texts)).body;
    const rendered = [
      'Call <strong>us</strong> or <a href="https://example.com/help" rel="nofollow noopener">write</a></p>',
      "&lt;b&gt;Night shift&lt;/b&gt;",
      '<li><p class="text" dir="auto">[never](javascript:alert)</p></li>',
    ];
    const reader = createClient();
    for (const path of ["", "/history"]) {
      const { body } = await reader.get(`/status/${slug}${path}`);
      const footer = body.slice(body.indexOf("<footer"));
      for (const part of rendered) expect(footer).toContain(part);
      expect(footer).not.toContain("two");
    }
    expect((await reader.get(`/status/${slug}`)).body).toContain("Run by <em>two</em> people");
  });
});

describe("a list", () => {
  it("of an agent's metrics has a total, an offset and links", async () => {
    const account = await createAccount();
    const example = await EXAMPLES["POST /agents/metrics"]?.(account);
    const samples = [1, 2, 3].map((cpu_percent) => ({
      cpu_percent,
      collected_at: new Date(Date.now() - cpu_percent * 1_000).toISOString(),
    }));
    const taken = await createClient().post(`${V1}/agents/metrics`, samples, example?.headers);
    expect(taken.body).toEqual({ accepted: 3 });
    const [{ id }] = (await account.client.get(`${V1}/agents`)).body;
    const page = await account.client.get(`${V1}/agents/${id}/metrics?limit=1&offset=1`);
    expect(page.body).toMatchObject([{ cpu_percent: 2 }]);
    expect(page.headers.get("x-total-count")).toBe("3");
    expect(page.headers.get("link")).toContain('rel="next"');
    expect(page.headers.get("link")).toContain('rel="prev"');
  });

  it("of days has a total", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const { id } = await createMonitor(account.client);
    const days = [`${V1}/monitors/${id}/uptime?days=7`, `${V1}/audit/status-page/${page}/daily-events?days=7`];
    for (const path of days) expect((await account.client.get(path)).headers.get("x-total-count"), path).toBe("7");
  });
});
