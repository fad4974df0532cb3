import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { createMonitor, createPage } from "../support/factories.ts";
import { type Browser, createBrowser } from "../support/forms.ts";
import { createAccountWithPassword } from "../support/members.ts";

let account: Awaited<ReturnType<typeof createAccountWithPassword>>;
let browser: Browser;
let page: string;
let monitor: string;
beforeAll(async () => {
  account = await createAccountWithPassword();
  browser = createBrowser();
  await browser.submit("/app/sign-in", { email: account.email, password: account.password });
  page = await createPage(account);
  monitor = String((await createMonitor(account.client, { status_page_id: page })).id);
});

/** What a browser sends when the form of this address is submitted as it was shown. */
async function fieldsOf(text: string, action: string): Promise<[string, string][]> {
  const fields: [string, string][] = [];
  let select: { name: string; options: [value: string, isSelected: boolean][] } | null = null;
  const form = `form[action="${action}"]`;
  const rewriter = new HTMLRewriter()
    .on(`${form} input`, {
      element(element) {
        const [name, type] = [element.getAttribute("name") ?? "", element.getAttribute("type") ?? "text"];
        const isSent = type !== "checkbox" || element.hasAttribute("checked");
        if (isSent)
          fields.push([name, unescapeHtml(element.getAttribute("value") ?? (type === "checkbox" ? "on" : ""))]);
      },
    })
    .on(`${form} textarea`, {
      element: (element) => void fields.push([element.getAttribute("name") ?? "", ""]),
      text(chunk) {
        const last = fields.at(-1);
        if (last) last[1] = unescapeHtml(last[1] + chunk.text).replaceAll("\n", "\r\n");
      },
    })
    .on(`${form} select`, {
      element(element) {
        const found = { name: element.getAttribute("name") ?? "", options: [] as [string, boolean][] };
        select = found;
        element.onEndTag(() => {
          const chosen = found.options.find(([, isSelected]) => isSelected) ?? found.options[0];
          if (chosen) fields.push([found.name, chosen[0]]);
        });
      },
    })
    .on(`${form} option`, {
      element: (element) =>
        void select?.options.push([
          unescapeHtml(element.getAttribute("value") ?? ""),
          element.hasAttribute("selected"),
        ]),
    });
  await rewriter.transform(new Response(text)).text();
  return fields;
}

const ENTITIES: Record<string, string> = { "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const unescapeHtml = (text: string) =>
  text.replace(/&(?:quot|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);

const make = async (path: string, body: unknown): Promise<string> => {
  const answer = await account.client.post(V1 + path, body);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
  return String(answer.body.id);
};
const read = async (path: string) => {
  // Gaps of a schedule are computed from now on.
  const { updated_at, gaps, ...body } = (await account.client.get(V1 + path)).body;
  return body;
};

interface Opened {
  /** Of the form, below /app. */
  form: string;
  load(): Promise<unknown>;
}

const user = () => ({ type: "user", value: account.user_id });
const OPENED: Record<string, () => Promise<Opened>> = {
  "an incident that began at a certain second, assigned to the owner": async () => {
    const body = { title: "Slow", status_page_id: page, started_at: "2026-01-02T03:04:05.678Z", tags: ["a", "b"] };
    const id = await make("/incidents", { ...body, assigned_to_id: account.user_id, monitor_ids: [monitor] });
    return { form: `/incidents/${id}/edit`, load: () => read(`/incidents/${id}`) };
  },
  "maintenance of a group, at certain seconds": async () => {
    const group = await make("/groups", { name: "Core", status_page_id: page });
    const targets = [
      { target_type: "group", target_id: group },
      { target_type: "monitor", target_id: monitor },
    ];
    const times = { start_time: "2027-01-02T03:04:05.000Z", end_time: "2027-01-02T04:04:05.000Z" };
    const id = await make("/maintenance", { title: "Disks", status_page_id: page, ...times, targets });
    return { form: `/maintenance/${id}/edit`, load: () => read(`/maintenance/${id}`) };
  },
  "a channel of custom events": async () => {
    const events = ["monitor.down", "deploy.finished"];
    const body = { name: "Ops", url: "https://chat.example/hook", secret: "s3cret", events, status_page_id: page };
    const id = await make("/webhooks", body);
    return { form: `/alerts/${id}/edit`, load: () => read(`/webhooks/${id}`) };
  },
  "a policy of more steps than the form has, with addresses": async () => {
    const contacts = [{ type: "email", value: "a@example.com", label: "Ada" }, user()];
    const steps = [1, 2, 3, 4, 5, 6].map((level) => ({ level, wait_minutes: level, contacts }));
    const id = await make(`/status-pages/${page}/on-call/policies`, { name: "Nights", steps, repeat_count: 2 });
    const list = `${V1}/status-pages/${page}/on-call/policies`;
    const load = async () => {
      const found = (await account.client.get(list)).body.find((each: { id: string }) => each.id === id);
      return { ...found, updated_at: null };
    };
    return { form: `/on-call/${page}/policies/${id}`, load };
  },
  "a schedule of shifts": async () => {
    const shift = { user_id: account.user_id, start_at: "2027-01-01T00:00:00Z", end_at: "2027-01-02T00:00:00Z" };
    const id = await make(`/status-pages/${page}/on-call/schedules`, { name: "Shifts", shifts: [shift] });
    const path = `/status-pages/${page}/on-call/schedules/${id}`;
    return { form: `/on-call/${page}/schedules/${id}`, load: () => read(path) };
  },
  "a schedule whose first turn began at a certain second": async () => {
    const rotations = [{ user_ids: [account.user_id], start_at: "2026-01-02T03:04:05.000Z", period_hours: 12 }];
    const id = await make(`/status-pages/${page}/on-call/schedules`, { name: "Turns", rotations });
    const path = `/status-pages/${page}/on-call/schedules/${id}`;
    return { form: `/on-call/${page}/schedules/${id}`, load: () => read(path) };
  },
  "a rule with channels": async () => {
    const rule = { event_name: "monitor.down", alert_channels: { "monitor.down": "#ops" }, cooldown_seconds: 5 };
    const id = await make(`/status-pages/${page}/events/rules`, rule);
    const load = async () => {
      const { body } = await account.client.get(`${V1}/status-pages/${page}/events/rules`);
      return { ...body.find((each: { id: string }) => each.id === id), updated_at: null };
    };
    return { form: `/rules/${page}/${id}`, load };
  },
  "a status page": async () => ({ form: `/pages/${page}`, load: () => read(`/status-pages/${page}`) }),
};

describe("a form that is saved as it was opened", () => {
  it.each(Object.keys(OPENED))("keeps everything of %s", async (name) => {
    const opened = await OPENED[name]?.();
    if (!opened) throw new Error("no such row");
    const before = await opened.load();
    const path = `/app${opened.form}`;
    const fields = await fieldsOf((await browser.open(path)).text, path);
    expect(fields.length).toBeGreaterThan(2);
    const saved = await browser.submit(path, fields);
    expect(saved.status, saved.text.match(/class="problem[^>]*>([^<]*)/)?.[1]).toBe(303);
    expect(await opened.load()).toEqual(before);
  });

  it("changes a step of a policy and keeps the contacts and steps that it does not offer", async () => {
    const opened = await OPENED["a policy of more steps than the form has, with addresses"]?.();
    if (!opened) throw new Error("no such row");
    const path = `/app${opened.form}`;
    const fields = await fieldsOf((await browser.open(path)).text, path);
    const changed = fields.filter(([name, value]) => !(name === "step_2" && value.startsWith("user:")));
    expect((await browser.submit(path, changed)).status).toBe(303);
    const { steps } = (await opened.load()) as { steps: { contacts: unknown[] }[] };
    const ada = { type: "email", value: "a@example.com", label: "Ada" };
    expect(steps.map(({ contacts }) => contacts.length)).toEqual([2, 1, 2, 2, 2, 2]);
    expect(steps[1]?.contacts).toEqual([ada]);
  });
});

describe("a form with a forged id", () => {
  it.each([
    ["/services/group", { id: "../../x", group_id: "" }],
    ["/services/order", { id: "x" }],
    ["/groups/delete", { id: "../status-pages" }],
    ["/subscribers/delete", {}],
  ])("%s is refused or changes nothing", async (path, fields) => {
    const { status } = await browser.submit(`/app/pages/${page}${path}`, fields as Record<string, string>);
    expect([303, 400, 404]).toContain(status);
    expect((await account.client.get(`${V1}/status-pages/${page}`)).status).toBe(200);
  });
});
