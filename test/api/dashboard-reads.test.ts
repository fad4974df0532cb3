import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

/** Views of an incident or window stay open for hours and are read again and again, in the worst minutes. */
it("an open incident, window or rule names the services of its page without asking any of their objects", async () => {
  const account = await createAccount();
  const page = await createPage(account);
  const names = ["Job 0", "Job 1", "Job 2"];
  const jobs = { status_page_id: page, type: "heartbeat", target: null } as const;
  const inserted = await Promise.all(names.map((name) => insertMonitor(account.user_id, { ...jobs, name })));
  const monitor_ids = inserted.map(({ id }) => id);
  const incident = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Slow", monitor_ids });
  const times = { start_time: "2031-01-01T00:00:00Z", end_time: "2031-01-01T01:00:00Z" };
  const planned = {
    status_page_id: page,
    title: "Works",
    targets: monitor_ids.map((target_id) => ({ target_type: "monitor", target_id })),
    ...times,
  };
  const window = await account.client.post(`${V1}/maintenance`, planned);
  const browser = await browserOf(account);
  const asked = vi.spyOn(env.MONITOR, "getByName");
  const ids = [`incidents/${incident.body.id}`, `maintenance/${window.body.id}`, `rules/${page}/new`];
  for (const path of [...ids, `pages/${page}/services`, `pages/${page}/embed`]) {
    expect((await browser.open(`/app/${path}`)).text, path).toContain("Job 2");
  }
  expect(asked).not.toHaveBeenCalled();
});
