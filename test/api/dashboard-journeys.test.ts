import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { createMonitor } from "../support/factories.ts";
import { type Browser, createBrowser } from "../support/forms.ts";
import { createAccountWithPassword } from "../support/members.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const NEW = "/app/monitors/new";
const BASE = { type: "http", name: "Shop", target: "http://sink.test/", interval: "60" };
const LOG_IN = {
  step_1_name: "log in",
  step_1_method: "POST",
  step_1_url: "/login",
  step_1_headers: "X-Key: {{secret.KEY}}\r\nX-Other: 2",
  step_1_body: '{"user": "ann"}',
  step_1_captures: "token = json $.token\r\nsid = cookie sid",
};
const CALL = { step_2_name: "call", step_2_url: "/me", step_2_headers: "X-Token: {{token}}", step_2_always: "on" };

let account: Awaited<ReturnType<typeof createAccountWithPassword>>;
let browser: Browser;
beforeAll(async () => {
  account = await createAccountWithPassword();
  browser = createBrowser();
  await browser.submit("/app/sign-in", { email: account.email, password: account.password });
  await account.client.post(`${V1}/secrets`, { name: "KEY", value: "canary-of-the-form" });
});

const legends = (text: string) => [...text.matchAll(/<legend>(Step \d+)<\/legend>/g)].map(([, legend]) => legend);
const shownIn = (text: string, name: string) =>
  new RegExp(`<(?:input|textarea)[^>]*name="${name}"[^>]*?(?:value="([^"]*)"|>([^<]*)<)`).exec(text)?.slice(1).join("");

describe("the steps of a journey in the form of a monitor, without script", () => {
  it("come one by one, keep what was typed, and go from the middle", async () => {
    expect(legends((await browser.open(NEW)).text)).toEqual([]);
    const one = await browser.submit(NEW, { ...BASE, intent: "add_step" });
    expect([one.status, legends(one.text)]).toEqual([200, ["Step 1"]]);
    const three = await browser.submit(NEW, { ...BASE, ...LOG_IN, ...CALL, intent: "add_step" });
    expect(legends(three.text)).toEqual(["Step 1", "Step 2", "Step 3"]);
    expect(shownIn(three.text, "step_1_name")).toBe("log in");
    const two = await browser.submit(NEW, {
      ...BASE,
      ...LOG_IN,
      ...CALL,
      step_3_name: "last",
      intent: "remove_step_1",
    });
    expect(legends(two.text)).toEqual(["Step 1", "Step 2"]);
    expect([shownIn(two.text, "step_1_name"), shownIn(two.text, "step_2_name")]).toEqual(["call", "last"]);
  });

  it("are tried step by step, and saved as the API shows them", async () => {
    sink.serve(
      "http://sink.test/login",
      () => new Response('{"token": "t-4711"}', { headers: { "set-cookie": "sid=1" } }),
    );
    sink.serve("http://sink.test/me", () => new Response("no", { status: 503 }));
    const tried = await browser.submit(NEW, { ...BASE, ...LOG_IN, ...CALL, intent: "test" });
    expect(tried.text).toContain("step 2 &#39;call&#39;: status 503, expected a 2xx");
    expect(tried.text).toMatch(/log in<\/span>: passed, 200, \d+ ms/);
    expect(tried.text).toMatch(/call<\/span>: failed, 503/);
    expect(tried.text).not.toContain("canary");
    const saved = await browser.submit(NEW, { ...BASE, ...LOG_IN, ...CALL });
    expect(saved.status).toBe(303);
    const { body } = await account.client.get(`${V1}${saved.headers.get("location")?.replace("/app", "")}`);
    expect(body.steps).toMatchObject([
      {
        name: "log in",
        method: "POST",
        headers: { "X-Key": "{{secret.KEY}}", "X-Other": "2" },
        captures: [
          { name: "token", from: "json", path: "$.token" },
          { name: "sid", from: "cookie", path: "sid" },
        ],
        always: false,
      },
      { name: "call", always: true },
    ]);
  });

  it("stand beside their problems", async () => {
    const refused = await browser.submit(NEW, { ...BASE, ...LOG_IN, step_2_name: "call", step_2_url: "{{token}}/x" });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/id="step_2_url-problem"[^>]*>Step 2 address must begin with/);
    expect(refused.text).toMatch(/name="step_2_url"[^>]*aria-invalid="true"/);
  });

  it("stay as they are when something else is saved, and end when all are removed", async () => {
    const monitor = await createMonitor(account.client, {
      steps: [{ name: "go", url: "/", json_assertions: [{ path: "ok", operator: "exists" }] }],
    });
    const path = `/app/monitors/${monitor.id}/edit`;
    const form = await browser.open(path);
    expect(shownIn(form.text, "step_1_name")).toBe("go");
    const step = { step_1_name: "go", step_1_url: "/", step_1_method: "GET", step_1_headers: "", step_1_body: "" };
    const assertions = JSON.stringify([{ path: "ok", operator: "exists" }], null, 2);
    const rest = { step_1_expected_statuses: "", step_1_expected_body: "", step_1_captures: "" };
    const same = { ...BASE, ...step, ...rest, step_1_json_assertions: assertions };
    expect((await browser.submit(path, { ...same, name: "Renamed" })).status).toBe(303);
    const renamed = await account.client.get(`${V1}/monitors/${monitor.id}`);
    expect(renamed.body).toMatchObject({ name: "Renamed", steps: monitor.steps });
    expect((await browser.submit(path, BASE)).status).toBe(303);
    expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body.steps).toEqual([]);
  });
});

describe("secrets in the dashboard", () => {
  it("are added, listed with the monitors that use them, and deleted by name; no value is shown", async () => {
    expect((await browser.submit("/app/account/secrets/new", { name: "OTHER", value: "canary-two" })).status).toBe(303);
    await createMonitor(account.client, { name: "Uses it", steps: [{ name: "go", url: "/?k={{secret.KEY}}" }] });
    const { text } = await browser.open("/app/account/secrets");
    expect(text).toContain("Uses it");
    expect(text).not.toContain("canary");
    const { body } = await account.client.get(`${V1}/secrets`);
    const idOf = (name: string) => body.find((each: { name: string }) => each.name === name).id;
    const path = (name: string) => `/app/account/secrets/${idOf(name)}/delete`;
    expect(text).toContain(path("OTHER"));
    expect(text).not.toContain(path("KEY"));
    expect((await browser.submit(path("KEY"), { confirmation: "KEY" })).status).toBe(409);
    expect((await browser.submit(path("OTHER"), { confirmation: "OTHER" })).status).toBe(303);
  });

  it("say beside the field what is wrong", async () => {
    const refused = await browser.submit("/app/account/secrets/new", { name: "1", value: "x" });
    expect(refused.text).toMatch(/id="name-problem"[^>]*>Name must be letters/);
  });
});
