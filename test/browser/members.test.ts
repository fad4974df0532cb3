import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runNpm, type Service, START_TIMEOUT_MS, startService } from "../process/support.ts";
import { FIND_WEAK_TEXT } from "./contrast.ts";
import { openPersonMenu } from "./dashboard.ts";

/** How somebody becomes a member, with nothing but the message that they got and a browser. */

/** Set SHOTS to a folder to look at the pages that these tests open. */
const SHOTS = process.env.SHOTS;
const CHROMIUM = "/usr/bin/chromium";
const PASSWORD = "correct horse battery";
const OWNER_PASSWORD = "the owner's long password";

// The package that brings the program is named in .ci/packages.
describe.skipIf(!existsSync(CHROMIUM))("an invited person", () => {
  let service: Service;
  let browser: Browser;
  let pageId: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startService({ env: { RATE_LIMITS: "accept=100,sign_in=100" } }),
      chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    ]);
    const fields = { name: "Northwind Status", slug: "northwind", timezone: "Europe/Berlin" };
    pageId = (await call("POST", "/api/uptime/v1/status-pages", fields)).id;
    await setPassword("owner@localhost", OWNER_PASSWORD);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** As an operator without mail begins: by a sign-in link, then with a password of their own. */
  async function setPassword(email: string, new_password: string): Promise<void> {
    const env = { STATE_DIR: service.stateDir, PUBLIC_URL: service.url };
    const { stdout } = await runNpm(["run", "--silent", "token", "--", "--email", email, "--sign-in-link"], { env });
    const headers = { origin: service.url, "content-type": "application/json" };
    const opened = await fetch(stdout.trim(), { method: "POST", redirect: "manual", headers: { origin: service.url } });
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const answer = await fetch(`${service.url}/api/core/v1/auth/password`, {
      method: "POST",
      headers: { ...headers, cookie },
      body: JSON.stringify({ new_password }),
    });
    if (!answer.ok) throw new Error(`password refused: ${answer.status} ${await answer.text()}`);
  }

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** The link in the message that lies in the outbox. */
  async function invite(email: string, fields: Record<string, unknown> = {}): Promise<string> {
    await call("POST", `/api/uptime/v1/status-pages/${pageId}/members`, { email, role: "editor", ...fields });
    const { stdout } = await runNpm(["run", "--silent", "mail"], { env: { STATE_DIR: service.stateDir } });
    const mail = stdout.split(/^Date: /m).find((text) => text.includes(`\nTo: ${email}\n`)) ?? "";
    expect(mail).toContain('owner@localhost invited you to the status page "Northwind Status"');
    const link = /^http:\S+\/app\/accept\?token=\w+$/m.exec(mail)?.[0];
    if (!link) throw new Error(`no link in the message:\n${mail}`);
    return link;
  }

  async function withPage<Found>(options: BrowserContextOptions, use: (page: Page) => Promise<Found>): Promise<Found> {
    const context = await browser.newContext(options);
    try {
      return await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  /** Waits for the page of this first heading. */
  const arriveAt = (page: Page, name: string) =>
    page.getByRole("heading", { level: 1, name, exact: true }).waitFor({ state: "visible" });
  /** Waits for a message of this text. */
  const read = (page: Page, role: "alert" | "status", text: string) =>
    page
      .getByRole(role)
      .and(page.getByText(text, { exact: true }))
      .waitFor({ state: "visible" });
  const shoot = async (page: Page, name: string) => {
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };

  it("joins by name and password without a script, signs out and signs in again", async () => {
    const link = await invite("grace@northwind.example");
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(link);
      await arriveAt(page, "Join the team of Northwind Status");
      expect(await page.getByLabel("E-mail address").inputValue()).toBe("grace@northwind.example");
      await page.getByLabel("Your name").fill("Grace Hopper");
      await page.getByLabel("Choose a password").fill("Password1234");
      await page.getByRole("button", { name: "Create account and join" }).click();
      await read(page, "alert", "The password is too common.");
      expect(await page.getByLabel("Your name").inputValue()).toBe("Grace Hopper");

      await page.getByLabel("Choose a password").fill(PASSWORD);
      await page.getByRole("button", { name: "Create account and join" }).click();
      await page.waitForURL(({ pathname }) => pathname === "/app");
      await read(page, "status", "You are now a member of Northwind Status.");
      const team = await call("GET", `/api/uptime/v1/status-pages/${pageId}/members`);
      expect(team).toMatchObject([{ email: "grace@northwind.example", name: "Grace Hopper", status: "active" }]);

      await openPersonMenu(page);
      await page.getByRole("button", { name: "Sign out" }).click();
      await read(page, "status", "You are signed out.");
      await page.goto(`${service.url}/app`);
      await arriveAt(page, "Sign in");

      const signIn = async (password: string) => {
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
      };
      await page.getByLabel("E-mail address").fill("grace@northwind.example");
      await signIn("not the password");
      await read(page, "alert", "The e-mail address or the password is wrong.");
      await signIn(PASSWORD);
      await arriveAt(page, "Overview");
      await page.getByRole("link", { name: "Open Northwind Status" }).click();
      await page.waitForURL(`${service.url}/status/northwind`);

      await page.goto(link);
      await arriveAt(page, "Already accepted");
    });
  });

  it("joins by the keyboard alone", async () => {
    const link = await invite("keys@northwind.example");
    await withPage({}, async (page) => {
      await page.goto(link);
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await press("Tab", "Tab", "Tab");
      await page.keyboard.type("Kay");
      await press("Tab");
      await page.keyboard.type(PASSWORD);
      await press("Enter");
      await page.waitForURL("**/app?joined=*");
      await read(page, "status", "You are now a member of Northwind Status.");
    });
  });

  it("who is signed in as somebody else signs out, signs in as themselves, and accepts", async () => {
    const link = await invite("known@northwind.example");
    await setPassword("known@northwind.example", PASSWORD);
    await withPage({}, async (page) => {
      await page.goto(`${service.url}/app/sign-in`);
      await page.getByLabel("E-mail address").fill("owner@localhost");
      await page.getByLabel("Password", { exact: true }).fill(OWNER_PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Your role: owner").waitFor();

      await page.goto(link);
      await page
        .getByRole("heading", { level: 2, name: "This invitation is for another account", exact: true })
        .waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("button", { name: "Accept" }).click();
      await read(page, "status", "You are now a member of Northwind Status.");
    });
  });

  it("cannot be made to accept or sign in by another site", async () => {
    const link = await invite("victim@northwind.example");
    await withPage({}, async (page) => {
      await page.route("http://evil.example/", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<form method="post" action="${link}"><input name="name" value="Eve"><input name="password" value="${PASSWORD}"></form>
            <script>document.forms[0].submit()</script>`,
        }),
      );
      await page.goto("http://evil.example/");
      await page.waitForURL(link);
      await arriveAt(page, "Request rejected");
      await page.goto(link);
      await arriveAt(page, "Join the team of Northwind Status");
    });
  });

  it.each([
    ["phone", { viewport: { width: 320, height: 640 } }],
    ["dark phone", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
    ["desktop", { viewport: { width: 1280, height: 800 } }],
  ] as const)("sees pages that fit, can be read and break no rule of their own: %s", async (name, options) => {
    const long = `${"a-very-long-name-".repeat(3)}${name.replace(" ", "-")}@northwind.example`;
    const link = await invite(long, { role: "custom", capabilities: ["incidents.write", "members.manage"] });
    await withPage(options, async (page) => {
      const complaints: string[] = [];
      const origins = new Set<string>();
      // Refusals are documents, too; a browser counts their status as a failed load.
      page.on("console", (message) => message.text().startsWith("Failed to load") || complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => origins.add(new URL(request.url()).origin));
      const look = async (what: string) => {
        await shoot(page, `${what}-${name}`);
        const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        expect([what, await page.evaluate(overflow), await page.evaluate(FIND_WEAK_TEXT)]).toEqual([what, 0, []]);
        expect([what, await page.locator("h1").count(), await page.locator("main").count()]).toEqual([what, 1, 1]);
        const unnamed = await page.locator("input:not([type=hidden])").evaluateAll((all) =>
          // biome-ignore lint/suspicious/noExplicitAny: the types of the page are not those of this program
          all.filter((each: any) => each.labels.length !== 1 || !each.autocomplete),
        );
        expect([what, unnamed.length]).toEqual([what, 0]);
      };
      await page.goto(`${service.url}/app/sign-in`);
      await page.locator("summary").click();
      await look("sign-in");
      await page.goto(`${service.url}/app/forgotten-password`);
      await look("forgotten-password");
      await page.goto(`${service.url}/app/accept?token=none`);
      await look("missing");
      await page.goto(link);
      await look("invitation");
      await page.getByLabel("Your name").fill("W".repeat(200));
      await page.getByLabel("Choose a password").fill("password1234");
      await page.getByRole("button").last().click();
      await page.locator("input[name=password]:focus").waitFor();
      await look("problem");
      await page.getByLabel("Choose a password").fill(PASSWORD);
      await page.getByRole("button").last().click();
      await page.waitForURL("**/app?joined=*");
      await look("home");
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([service.url]);
    });
  });
});
