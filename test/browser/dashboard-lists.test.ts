import { existsSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const LATER = { start_time: "2031-01-01T10:00:00Z", end_time: "2031-01-01T11:00:00Z" };

interface Listed {
  /** The list, or where its filter stands beside another one. */
  path: string;
  /** What is sent to make one of this name on a status page. */
  add(page: string, name: string): { path: string; body: object };
}

const LISTS: Record<string, Listed> = {
  incidents: {
    path: "/app/incidents",
    add: (status_page_id, title) => ({ path: "/incidents", body: { status_page_id, title } }),
  },
  "incidents that are over, too,": {
    path: "/app/incidents?show=all",
    add: (status_page_id, title) => ({ path: "/incidents", body: { status_page_id, title, status: "resolved" } }),
  },
  "incident templates": {
    path: "/app/incidents/templates",
    add: (page, name) => ({ path: `/status-pages/${page}/incident-templates`, body: { name, title: "Slow" } }),
  },
  maintenance: {
    path: "/app/maintenance",
    add: (status_page_id, title) => ({ path: "/maintenance", body: { status_page_id, title, ...LATER } }),
  },
  channels: {
    path: "/app/alerts",
    add: (status_page_id, name) => {
      return { path: "/webhooks", body: { status_page_id, name, url: `https://receiver.example/${status_page_id}` } };
    },
  },
  schedules: {
    path: "/app/on-call",
    add: (page, name) => ({ path: `/status-pages/${page}/on-call/schedules`, body: { name } }),
  },
  "escalation policies": {
    path: "/app/on-call",
    add: (page, name) => {
      const contacts = [{ type: "webhook", value: "https://receiver.example/on-call" }];
      return { path: `/status-pages/${page}/on-call/policies`, body: { name, steps: [{ level: 1, contacts }] } };
    },
  },
  rules: {
    path: "/app/rules",
    add: (page, display_name) => {
      return { path: `/status-pages/${page}/events/rules`, body: { display_name, event_name: "monitor.down" } };
    },
  },
  "a team": {
    path: "/app/team",
    add: (page, name) => {
      const email = `${name.toLowerCase().replaceAll(" ", "-")}@team.example`;
      return { path: `/status-pages/${page}/members`, body: { email, name, role: "viewer" } };
    },
  },
};

/** More names than a row of tabs takes, so that the filter is a choice. */
const PAGES = ["Shop", "Docs", "API", "Blog", "Billing", "Search", "Mail"];

describe.skipIf(!existsSync(CHROMIUM))("the lists of a person with several status pages", () => {
  const dashboard = useDashboard();
  const ids: Record<string, string> = {};
  /** Without the name of the page, by its first letter alone. */
  const nameOf = (kind: string, page: string, n: number) => `Entry ${Object.keys(LISTS).indexOf(kind)} ${page[0]}${n}`;
  beforeAll(async () => {
    for (const name of PAGES) {
      const made = await dashboard.call("POST", `${V1}/status-pages`, { name, slug: `of-${name.toLowerCase()}` });
      ids[name] = String(made.id);
    }
    for (const [kind, { add }] of Object.entries(LISTS)) {
      for (const page of ["Shop", "Docs"]) {
        for (const n of [1, 2, 3]) {
          const { path, body } = add(ids[page] ?? "", nameOf(kind, page, n));
          await dashboard.call("POST", V1 + path, body);
        }
      }
    }
  });

  const choice = (page: Page) => page.getByLabel("Status page", { exact: true });

  it.each(Object.entries(LISTS))("of %s name the page of each row, and the filter stays in the address", async (kind, {
    path,
  }) => {
    await dashboard.visit(DESKTOP, async (page) => {
      const count = async (of: string) => {
        const rows = page
          .locator("#main")
          .locator("tr, li")
          .filter({ hasText: nameOf(kind, of, 1).slice(0, -1) });
        return [await rows.count(), await rows.filter({ hasText: of }).count()];
      };
      await page.goto(dashboard.service.url + path);
      expect([await count("Shop"), await count("Docs")]).toEqual([
        [3, 3],
        [3, 3],
      ]);
      await choice(page).selectOption("Docs");
      await page.waitForURL(new RegExp(`[?&]page=${ids.Docs}`));
      expect([(await count("Shop"))[0], (await count("Docs"))[0]]).toEqual([0, 3]);
      expect(await page.evaluate("document.activeElement.id")).toBe("chosen-page");
      await page.goBack();
      await expect.poll(async () => (await count("Shop"))[0]).toBe(3);
      expect(await choice(page).inputValue()).toBe("");
      await page.goForward();
      await expect.poll(async () => (await count("Shop"))[0]).toBe(0);
      expect(await choice(page).inputValue()).toBe(ids.Docs);
    });
  });

  it.each(Object.entries(LISTS))("of %s are loaded without a request for each row", async (_kind, { path }) => {
    await dashboard.visit(DESKTOP, async (page) => {
      const requestsOf = async (query: string) => {
        const asked: string[] = [];
        // Once it is connected, a view asks what changed while it was loaded: soon, or only after this visit.
        const note = (request: Request) => {
          if (request.headers()["x-live"] === undefined) asked.push(new URL(request.url()).pathname);
        };
        page.on("request", note);
        const address = new URL(dashboard.service.url + path);
        for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value);
        await page.goto(address.href, { waitUntil: "networkidle" });
        page.off("request", note);
        return asked.filter((each) => each !== "/app/changes").toSorted();
      };
      // What a browser keeps is there from the second view on.
      await requestsOf("");
      expect(await requestsOf("")).toEqual(await requestsOf(`page=${ids.Blog}`));
    });
  });
});
