import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT, startIdentityProvider } from "../process/identity-provider.ts";
import { runNpm, type Service, START_TIMEOUT_MS, startService } from "../process/support.ts";
import { CHROMIUM, findBarriersInAnySize } from "./chromium.ts";

/** How people sign in by a real provider of OpenID Connect, which asks them in pages of its own. */
describe.skipIf(!existsSync(CHROMIUM))("a provider of OpenID Connect", () => {
  let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    provider = await startIdentityProvider({ asksPeople: true });
    const works = {
      id: "works",
      name: "Works",
      issuer: provider.issuer,
      ...CLIENT,
      account_domains: ["works.example"],
    };
    const env = { EGRESS_ALLOW: "127.0.0.1", OIDC_PROVIDERS: JSON.stringify([works]), RATE_LIMITS: "all=off" };
    [service, browser] = await Promise.all([
      startService({ env }),
      chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    ]);
    await provider.open(`${service.url}/app/sign-in/with/works/callback`, {
      post_logout_redirect_uris: [`${service.url}/app/sign-in?signed_out=yes`],
    });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await provider?.stop();
  });

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();
  const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();
  const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  /** A browser without a session; fails on any error of a script or policy. */
  async function visit(story: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext();
    const faults: string[] = [];
    try {
      const page = await context.newPage();
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (/Content Security Policy/.test(message.text())) faults.push(message.text());
      });
      await story(page);
      expect(faults).toEqual([]);
    } finally {
      await context.close();
    }
  }

  /** Somebody new at the provider. */
  function become(name: string): string {
    const email = `${name.toLowerCase()}@works.example`;
    Object.assign(provider.user, { sub: crypto.randomUUID(), email, email_verified: true, name });
    return email;
  }

  async function agree(page: Page, name: string): Promise<void> {
    await press(page, `Sign in as ${name}`);
    await press(page, "Allow");
  }

  it("opens an account with its button, once the person agreed there", async () => {
    await visit(async (page) => {
      const email = become("Ada");
      await page.goto(`${service.url}/app/sign-in`);
      await follow(page, "Sign in with Works");
      await agree(page, "Ada");
      await page.waitForURL(`${service.url}/app`);
      await page.goto(`${service.url}/app/account`);
      await sees(page, email);
    });
  });

  it("is linked by a person who is signed in and confirms it, signs them in from then on, and is signed out with them", async () => {
    await visit(async (page) => {
      const env = { STATE_DIR: service.stateDir, PUBLIC_URL: service.url };
      const asked = ["run", "--silent", "token", "--", "--email", "grace@works.example", "--sign-in-link"];
      await page.goto((await runNpm(asked, { env })).stdout.trim());
      await press(page, "Sign in");
      become("Grace");
      await page.goto(`${service.url}/app/account/sign-ins`);
      await follow(page, "Link sign-in by Works");
      await agree(page, "Grace");
      await sees(page, "Link Works?");
      expect(await findBarriersInAnySize(page, "sign-in-link")).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 720 });
      await press(page, "Link");
      await sees(page, "Linked.");

      await page.context().clearCookies({ domain: "127.0.0.1", path: "/" });
      await page.goto(`${service.url}/app/sign-in`);
      await follow(page, "Sign in with Works");
      await agree(page, "Grace");
      await page.goto(`${service.url}/app/account`);
      await sees(page, "grace@works.example");

      await page.getByLabel("More for you", { exact: true }).click();
      await press(page, "Sign out");
      await press(page, "Yes, sign me out");
      await page.waitForURL(/\/app\/sign-in\?signed_out=yes$/);
      await follow(page, "Sign in with Works");
      await page.getByRole("button", { name: "Sign in as Grace" }).waitFor();
    });
  });
});
