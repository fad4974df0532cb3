import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { BROWSERS, CHROMIUM, DESKTOP, findBarriers, isWiderThanWindow } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";

/** A form about something that another person saves while it is filled in. */
interface Edited {
  /** Its form, and where the API has it. */
  form: string;
  api: string;
  /** A field by its label, in the form and in the API, and one that the form leaves alone. */
  own: [label: string, member: string];
  theirs?: [label: string, change: Record<string, unknown>];
  /** Of its button that saves. */
  submit?: string;
}

describe.skipIf(!existsSync(CHROMIUM))("a form of something that changes meanwhile", () => {
  const dashboard = useDashboard({ isFurnished: true });
  const call = (method: string, path: string, body?: unknown) => dashboard.call(method, `${V1}${path}`, body);
  const press = (page: Page, button: string) =>
    page.locator("main").getByRole("button", { name: button, exact: true }).first().click();

  const edited = (): Record<string, Edited> => {
    const { page, group, template, rule, schedule, policy, maintenance, incident, shop } = dashboard.example;
    const onCall = `/status-pages/${page}/on-call`;
    return {
      incident: {
        form: `/app/incidents/${incident}/edit`,
        api: `/incidents/${incident}`,
        own: ["Title", "title"],
        theirs: ["Severity", { severity: "critical" }],
      },
      template: {
        form: `/app/incidents/templates/${page}/${template}`,
        api: `/status-pages/${page}/incident-templates/${template}`,
        own: ["Name", "name"],
        theirs: ["Severity", { severity: "critical" }],
      },
      maintenance: {
        form: `/app/maintenance/${maintenance}/edit`,
        api: `/maintenance/${maintenance}`,
        own: ["Title", "title"],
        theirs: ["Description", { description: "Theirs." }],
      },
      rule: {
        form: `/app/rules/${page}/${rule}`,
        api: `/status-pages/${page}/events/rules/${rule}`,
        own: ["Name", "display_name"],
        theirs: ["Metric", { conditions: [{ metric: "loss", operator: "lt", value: 2, window_minutes: 9 }] }],
      },
      schedule: {
        form: `/app/on-call/${page}/schedules/${schedule}`,
        api: `${onCall}/schedules/${schedule}`,
        own: ["Name", "name"],
        theirs: ["Time zone", { timezone: "America/New_York" }],
      },
      policy: {
        form: `/app/on-call/${page}/policies/${policy}`,
        api: `${onCall}/policies/${policy}`,
        own: ["Name", "name"],
        theirs: ["Repeat all steps", { repeat_count: 7 }],
      },
      page: {
        form: `/app/pages/${page}`,
        api: `/status-pages/${page}`,
        own: ["Name", "name"],
        theirs: ["Description", { description: "Theirs." }],
      },
      group: {
        form: `/app/pages/${page}/groups/${group}`,
        api: `/groups/${group}`,
        own: ["Name", "name"],
        submit: "Rename",
      },
      monitor: {
        form: `/app/monitors/${shop}/edit`,
        api: `/monitors/${shop}`,
        own: ["Name", "name"],
        theirs: ["Interval", { interval: 300 }],
      },
    };
  };
  const MANY_FIELDS = ["incident", "template", "maintenance", "rule", "schedule", "policy", "page", "monitor"] as const;
  const KINDS = [...MANY_FIELDS, "group"] as const;

  const memberOf = async (api: string, member: string) => {
    const [, list = "", id = ""] = /^(.*)\/([^/]+)$/.exec(api) ?? [];
    const isListed = /templates|rules|on-call|groups/.test(api);
    const found = await call("GET", isListed ? `${list}?status_page_id=${dashboard.example.page}` : api);
    const all = (Array.isArray(found) ? found : [found]) as Record<string, unknown>[];
    return all.find((each) => each.id === id)?.[member];
  };

  it.each(MANY_FIELDS)("keeps what both persons saved: %s", async (kind) => {
    const { form, api, own, theirs = ["", {}] } = edited()[kind] as Edited;
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(dashboard.service.url + form);
      await page.getByLabel(own[0], { exact: true }).first().fill(`Mine, ${kind}`);
      await call("PUT", api, theirs[1]);
      await press(page, "Save");
      await page.getByText(`Another person changed these fields meanwhile, and their values are kept: `).waitFor();
      expect(await page.getByRole("status").first().textContent()).toContain(theirs[0]);
    });
    expect(await memberOf(api, own[1])).toBe(`Mine, ${kind}`);
    for (const [member, value] of Object.entries(theirs[1])) {
      const stored = await memberOf(api, member);
      expect(typeof stored === "string" && typeof value === "object" ? JSON.parse(stored) : stored).toEqual(value);
    }
  });

  it.each(KINDS)("saves nothing where both changed the same, and keeps the text: %s", async (kind) => {
    const { form, api, own, submit = "Save" } = edited()[kind] as Edited;
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(dashboard.service.url + form);
      const field = page.getByLabel(own[0], { exact: true }).first();
      await field.fill(`Mine again, ${kind}`);
      await call("PUT", api, { [own[1]]: `Theirs, ${kind}` });
      await press(page, submit);
      await page.getByText(`was changed meanwhile, to “Theirs, ${kind}”.`).waitFor();
      expect(await field.inputValue()).toBe(`Mine again, ${kind}`);
      expect(await memberOf(api, own[1])).toBe(`Theirs, ${kind}`);
      await press(page, submit);
      await page.locator(".notice").waitFor();
    });
    expect(await memberOf(api, own[1])).toBe(`Mine again, ${kind}`);
  });

  it.each(BROWSERS)("says it above and beside the field, within the window, on %s", async (name, options) => {
    const { form, api } = edited().incident as Edited;
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(dashboard.service.url + form);
      await page.getByLabel("Title", { exact: true }).fill(`Own on ${name}`);
      await call("PUT", api, { title: `Foreign on ${name}` });
      await press(page, "Save");
      await page
        .getByRole("alert")
        .getByText(/^Another person saved this meanwhile\./)
        .waitFor();
      expect(await page.getByLabel("Title", { exact: true }).getAttribute("aria-invalid")).toBe("true");
      expect(await isWiderThanWindow(page)).toBe(false);
      if (name === "a desktop") expect(await findBarriers(page, "conflict")).toEqual([]);
    });
  });

  it.each(BROWSERS)("asks where two persons replaced a secret that neither sees, on %s", async (name, options) => {
    const made = { name: `Signed ${name}`, url: "https://hooks.northwind.example/in", secret: "the first one, signed" };
    const { id } = await call("POST", "/webhooks", made);
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/alerts/${id}/edit`);
      const secret = page.getByLabel("Signing secret", { exact: true });
      await secret.fill("my own one, signed");
      await call("PUT", `/webhooks/${id}`, { secret: "their own one, signed" });
      await press(page, "Save");
      await page.getByText("Signing secret was changed meanwhile.").waitFor();
      await page.getByText("Saving again replaces what is marked.").waitFor();
      expect(await secret.inputValue()).toBe("my own one, signed");
      expect(await isWiderThanWindow(page)).toBe(false);
      await press(page, "Save");
      await page.getByText("Saved.").waitFor();
    });
  });

  it("shows overrides that were planned meanwhile before it adds another", async () => {
    const { page: id, schedule, member } = dashboard.example;
    const api = `/status-pages/${id}/on-call/schedules/${schedule}`;
    const override = { add_user_id: member, start_at: "2031-03-01T08:00:00.000Z", end_at: "2031-03-01T20:00:00.000Z" };
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/on-call/${id}/overrides/${schedule}`);
      await page.getByLabel("From", { exact: true }).fill("2031-03-01T10:00");
      await page.getByLabel("Until", { exact: true }).fill("2031-03-01T12:00");
      const stored = (await memberOf(api, "overrides")) as unknown[];
      await call("PUT", api, { overrides: [...stored, override] });
      await press(page, "Save");
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toMatch(/Overrides now: mira from 1 Mar 2031, .* until /);
      expect(await memberOf(api, "overrides")).toHaveLength(stored.length + 1);
      await press(page, "Save");
      await page.getByText("The override is planned.").waitFor();
      expect(await memberOf(api, "overrides")).toHaveLength(stored.length + 2);
    });
  });

  it.each(
    KINDS.filter((kind) => kind !== "monitor"),
  )("keeps what was typed through leaving, until Cancel: %s", async (kind) => {
    const { form, own } = edited()[kind] as Edited;
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(dashboard.service.url + form);
      const field = page.getByLabel(own[0], { exact: true }).first();
      const stored = await field.inputValue();
      await field.fill("Half a na");
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.goBack();
      await page.getByText("What you had typed is here again.").waitFor();
      expect(await field.inputValue()).toBe("Half a na");
      const cancel = page.locator("main form.card").getByRole("link", { name: "Cancel", exact: true });
      if ((await cancel.count()) > 0) {
        await cancel.click();
        await page.goto(dashboard.service.url + form);
      } else await press(page, "Discard it");
      await expect.poll(() => field.inputValue()).toBe(stored);
    });
  });

  it("asks before it leaves a form whose text is not kept", async () => {
    const { shop, page: id } = dashboard.example;
    const forms = [
      [`/app/monitors/${shop}/edit`, "Name"],
      [`/app/pages/${id}/reports`, "Target of the page, in percent"],
      [`/app/pages/${id}/domain`, "Host name"],
    ] as const;
    for (const [form, label] of forms) {
      await dashboard.visit(DESKTOP, async (page) => {
        await page.goto(dashboard.service.url + form);
        await page.getByLabel(label, { exact: true }).fill("99");
        const asked: string[] = [];
        page.on("dialog", (dialog) => {
          asked.push(dialog.type());
          void dialog.dismiss();
        });
        await page.getByRole("link", { name: "Incidents", exact: true }).first().click();
        await expect.poll(() => [form, ...asked]).toEqual([form, "beforeunload"]);
        expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe("99");
      });
    }
  });
});
