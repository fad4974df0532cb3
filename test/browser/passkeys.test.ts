import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runNpm, type Service, START_TIMEOUT_MS, startService } from "../process/support.ts";
import { CHROMIUM, findBarriersInAnySize } from "./chromium.ts";

/** How people sign in without a password, with the device that Chromium's virtual authenticator is. */
const PASSWORD = "correct horse battery";
/** As Chromium's protocol has it. */
interface Key {
  credentialId: string;
  isResidentCredential: boolean;
  privateKey: string;
  signCount: number;
}
interface Device {
  /** Takes another one, with these keys, and gives those of the one before. */
  exchange(keys?: Key[]): Promise<Key[]>;
}
const NO_AUTOFILL = "PublicKeyCredential.isConditionalMediationAvailable = async () => false;";

describe.skipIf(!existsSync(CHROMIUM))("a passkey", () => {
  let service: Service;
  let browser: Browser;
  /** Browsers have no passkeys for a bare address. */
  let url: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startService({ env: { RATE_LIMITS: "all=off" } }),
      chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    ]);
    url = service.url.replace("127.0.0.1", "localhost");
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /**
   * A browser with a device of its own; fails on any error of a script or policy. The device chooses by itself what is
   * offered below the address field, so that most stories do without that.
   */
  async function visit(
    story: (page: Page, device: Device) => Promise<void>,
    { hasAutofill = false } = {},
  ): Promise<void> {
    const context = await browser.newContext();
    const faults: string[] = [];
    try {
      const page = await context.newPage();
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (/Content Security Policy/.test(message.text())) faults.push(message.text());
      });
      const cdp = await context.newCDPSession(page);
      await cdp.send("WebAuthn.enable");
      const device = {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
      } as const;
      if (!hasAutofill) await page.addInitScript(NO_AUTOFILL);
      const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true };
      let { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
      await story(page, {
        async exchange(keys = []) {
          const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
          await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
          ({ authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options }));
          for (const credential of keys) await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
          return credentials;
        },
      });
      expect(faults).toEqual([]);
    } finally {
      await context.close();
    }
  }

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();
  const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  /** A new person, signed in by the operator's link, with a password. */
  async function begin(page: Page, email: string): Promise<void> {
    const env = { STATE_DIR: service.stateDir, PUBLIC_URL: service.url };
    const { stdout } = await runNpm(["run", "--silent", "token", "--", "--email", email, "--sign-in-link"], { env });
    await page.goto(stdout.trim().replace(service.url, url));
    await press(page, "Sign in");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.locator("main button[type=submit]").first().click();
    await sees(page, "Your password is set.");
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.goto(`${url}/app/account/passkeys/new`);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Continue");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await press(page, "Create passkey");
    await sees(page, `${name} is added`);
  }

  async function signOut(page: Page): Promise<void> {
    await page.context().clearCookies();
    await page.goto(`${url}/app/sign-in`);
  }

  it("signs in alone, confirms a change, takes another name, and signs nobody in once it is removed", async () => {
    await visit(async (page) => {
      await begin(page, "ada@shop.example");
      await addPasskey(page, "Ada's laptop");
      await sees(page, "Recovery codes");
      expect(await findBarriersInAnySize(page, "passkey-codes")).toEqual([]);
      await signOut(page);
      await press(page, "Sign in with a passkey");
      await page.waitForURL(`${url}/app`);
      await page.goto(`${url}/app/account`);
      await sees(page, "Ada's laptop");
      expect(await findBarriersInAnySize(page, "passkey-account")).toEqual([]);

      await page.goto(`${url}/app/account/two-factor`);
      await press(page, "Use a passkey instead");
      await sees(page, "Scan this with your authenticator app");

      await page.goto(`${url}/app/account`);
      await page.getByRole("link", { name: "Rename", exact: true }).click();
      expect(await findBarriersInAnySize(page, "passkey-name")).toEqual([]);
      await page.getByLabel("Name", { exact: true }).fill("Ada's desk");
      await press(page, "Save");
      await sees(page, "Ada's desk");

      await page.getByRole("link", { name: "Remove", exact: true }).click();
      expect(await findBarriersInAnySize(page, "passkey-removal")).toEqual([]);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(page, "Remove passkey");
      await sees(page, "Ada's desk is removed.");
      await signOut(page);
      await press(page, "Sign in with a passkey");
      await sees(page, "This passkey is not accepted.");
    });
  });

  it("is one of several, of which each signs in until that one is removed", async () => {
    await visit(async (page, device) => {
      await begin(page, "dorothy@shop.example");
      await addPasskey(page, "Laptop");
      const laptop = await device.exchange();
      await addPasskey(page, "Key ring");
      await page.goto(`${url}/app/account`);
      await sees(page, "Laptop");
      await signOut(page);
      await press(page, "Sign in with a passkey");
      await page.waitForURL(`${url}/app`);

      await page.goto(`${url}/app/account`);
      const row = page.getByRole("row").filter({ hasText: "Key ring" });
      await row.getByRole("link", { name: "Remove", exact: true }).click();
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(page, "Remove passkey");
      await sees(page, "Key ring is removed.");
      await signOut(page);
      await press(page, "Sign in with a passkey");
      await sees(page, "This passkey is not accepted.");
      await device.exchange(laptop);
      await page.goto(`${url}/app/sign-in`);
      await press(page, "Sign in with a passkey");
      await page.waitForURL(`${url}/app`);
    });
  });

  it("is offered below the address field, where choosing it signs in", async () => {
    const signIn = async (page: Page) => {
      await begin(page, "alan@shop.example");
      await addPasskey(page, "Laptop");
      await signOut(page);
      await page.waitForURL(`${url}/app`);
    };
    await visit(signIn, { hasAutofill: true });
  });

  it("is the second factor after a password", async () => {
    await visit(async (page) => {
      await begin(page, "grace@shop.example");
      await addPasskey(page, "Key");
      await signOut(page);
      expect(await findBarriersInAnySize(page, "passkey-sign-in")).toEqual([]);
      await page.getByLabel("E-mail address").fill("grace@shop.example");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(page, "Sign in");
      await sees(page, "Enter your code");
      expect(await findBarriersInAnySize(page, "passkey-second")).toEqual([]);
      await press(page, "Use a passkey");
      await page.waitForURL(`${url}/app`);
    });
  });

  it("that is lost is stood in for by a recovery code after the password, once", async () => {
    await visit(async (page) => {
      await begin(page, "katherine@shop.example");
      await addPasskey(page, "Phone");
      const [code = ""] = (await page.locator("main pre").innerText()).split("\n");
      const signInWithCode = async () => {
        await signOut(page);
        await page.getByLabel("E-mail address").fill("katherine@shop.example");
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await press(page, "Sign in");
        await page.getByLabel("Code", { exact: true }).fill(code);
        await press(page, "Sign in");
      };
      await signInWithCode();
      await page.waitForURL(`${url}/app`);
      await signInWithCode();
      await sees(page, "This code is wrong or was already used.");
    });
  });

  it("is asked for by no other name of the service, which says why", async () => {
    await visit(async (page) => {
      await begin(page, "edsger@shop.example");
      await addPasskey(page, "Phone");
      await page.context().clearCookies();
      await page.goto(`${service.url}/app/sign-in`);
      await press(page, "Sign in with a passkey");
      await sees(page, "Passkeys do not work at this address.");
    });
  });

  it("whose answer is sent again signs nobody in", async () => {
    await visit(async (page) => {
      await begin(page, "barbara@shop.example");
      await addPasskey(page, "Phone");
      await signOut(page);
      const [request] = await Promise.all([
        page.waitForRequest((each) => each.method() === "POST" && each.url().endsWith("/app/sign-in")),
        press(page, "Sign in with a passkey"),
      ]);
      await page.waitForURL(`${url}/app`);
      const headers = { "content-type": "application/x-www-form-urlencoded", origin: url };
      const again = await page.request.post(`${url}/app/sign-in`, {
        headers: { ...headers, cookie: (await request.allHeaders()).cookie ?? "" },
        data: request.postData() ?? "",
        maxRedirects: 0,
      });
      expect(again.status()).toBe(401);
    });
  });
});
