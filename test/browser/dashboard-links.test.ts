import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { loadSecrets } from "../../scripts/local/secrets.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { preferenceToken } from "../../src/platform/preference-tokens.ts";
import { runNpm } from "../process/support.ts";
import { CHROMIUM, DESKTOP, findBarriersInAnySize } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const CORE = "/api/core/v1";
const PASSWORD = "correct horse battery";

/** The views that no other view links to: a mail, a notification or a terminal leads to them. */
describe.skipIf(!existsSync(CHROMIUM))("what a link from outside opens has no barrier", () => {
  const dashboard = useDashboard();
  let pageId: string;
  let secret: string;
  beforeAll(async () => {
    pageId = String((await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" })).id);
    secret = loadSecrets(stateDirOf({ STATE_DIR: dashboard.service.stateDir })).ROOT_SECRET ?? "";
  });

  /** Axe meets every view in both sizes and both schemes. */
  const visit = (story: (page: Page) => Promise<void>) => dashboard.visit({ ...DESKTOP, bypassCSP: true }, story);
  /** Waits for the view of this first heading before axe reads it. */
  const look = async (page: Page, heading: string | RegExp, name: string) => {
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect([name, await findBarriersInAnySize(page, `link-${name}`)]).toEqual([name, []]);
  };
  /** The newest link to this place in the mail to this address. */
  const mailedLink = async (email: string, place: string) => {
    const { stdout } = await runNpm(["run", "--silent", "mail"], { env: { STATE_DIR: dashboard.service.stateDir } });
    const mails = stdout.split(/^Date: /m).filter((text) => text.includes(`\nTo: ${email}\n`));
    const links = mails.flatMap((text) => text.match(/http\S+/g) ?? []).filter((link) => link.includes(place));
    expect(links.length, `${place} for ${email}`).toBeGreaterThan(0);
    return links.at(-1) ?? "";
  };
  const invite = async (email: string, toPage = pageId) => {
    await dashboard.call("POST", `${V1}/status-pages/${toPage}/members`, { email, role: "editor" });
    return mailedLink(email, "/app/accept?");
  };

  it("for an invitation, at each of its steps", async () => {
    const title = "Join the team of Shop";
    const mira = await invite("mira@shop.example");
    await visit(async (page) => {
      await page.goto(mira);
      await page.getByText("This invitation is for another account").waitFor();
      await look(page, title, "invitation-of-another");
      await page.context().clearCookies();
      await page.goto(mira);
      await look(page, title, "invitation");
      await page.getByLabel("Your name").fill("Mira");
      await page.getByLabel("Choose a password").fill("password1234");
      await page.getByRole("button", { name: "Create account and join" }).click();
      await page.getByText("The password is too common.").waitFor();
      await look(page, title, "invitation-refused");
      await page.getByLabel("Choose a password").fill(PASSWORD);
      await page.getByRole("button", { name: "Create account and join" }).click();
      await page.getByText("You are now a member of Shop.").waitFor();

      const { id } = await dashboard.call("POST", `${V1}/status-pages`, { name: "Depot", slug: "depot" });
      await page.goto(await invite("mira@shop.example", String(id)));
      await page.getByRole("button", { name: "Accept" }).waitFor();
      await look(page, "Join the team of Depot", "invitation-of-a-member");
      await page.context().clearCookies();
      await page.reload();
      await page.getByText("This address already has an account.").waitFor();
      await look(page, "Join the team of Depot", "invitation-signed-out");
    });
  });

  it("for a forgotten password", async () => {
    const email = "forgetful@shop.example";
    await dashboard.linkOf(email);
    await visit(async (page) => {
      await page.context().clearCookies();
      await page.goto(`${dashboard.service.url}/app/forgotten-password`);
      await page.getByLabel("E-mail address").fill(email);
      await page.getByRole("button", { name: "Send reset link" }).click();
      await look(page, "Check your inbox", "reset-asked");
      await page.goto(await mailedLink(email, "/app/reset?"));
      await page
        .getByLabel(/password/i)
        .first()
        .waitFor();
      await look(page, "Choose a new password", "reset");
      await page.locator("input[type=password]").fill("password1234");
      await page.getByRole("button", { name: "Set the password and sign in" }).click();
      await page.getByText("The password is too common.").waitFor();
      await look(page, "Choose a new password", "reset-refused");
    });
  });

  it("for a sign-in link, and the first password after it", async () => {
    const link = await dashboard.linkOf("new@shop.example");
    await visit(async (page) => {
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      await look(page, "Sign in", "sign-in-link");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await look(page, "Create your password", "welcome");
      await page.getByLabel("Password").fill("short");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Password must have at least").waitFor();
      await look(page, "Create your password", "welcome-refused");
    });
  });

  it("for the transfer of a status page", async () => {
    const email = "heir@shop.example";
    const signInLink = await dashboard.linkOf(email);
    const invitation = await invite(email);
    await visit(async (page) => {
      const send = async (path: string, data: object) => {
        const headers = { origin: dashboard.service.url };
        const answer = await page.request.post(dashboard.service.url + path, { headers, data });
        expect(answer.status(), await answer.text()).toBeLessThan(300);
      };
      // Only a session whose password was just given may hand a page over.
      await send(`${CORE}/auth/password`, { new_password: PASSWORD });
      const owner = await page.context().cookies();
      await page.context().clearCookies();
      await page.goto(signInLink);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL("**/app/welcome");
      await page.goto(invitation);
      await page.getByRole("button", { name: "Accept" }).click();
      await page.getByText("You are now a member of Shop.").waitFor();
      const heir = await page.context().cookies();

      await page.context().addCookies(owner);
      await page.goto(`${dashboard.service.url}/app/pages/${pageId}`);
      await page.getByRole("link", { name: "Transfer ownership", exact: true }).click();
      await look(page, "Transfer ownership of Shop", "transfer-offer");
      const receiver = page.getByLabel("New owner");
      const heirId = await receiver.locator("option", { hasText: email }).getAttribute("value");
      await receiver.selectOption(heirId);
      await page.getByRole("button", { name: "Send the offer" }).click();
      await page.getByText("The new owner gets a mail").waitFor();
      const link = await mailedLink(email, "/app/transfer?");
      await page.goto(link);
      await look(page, "This page is offered to another account", "transfer-to-another");
      await page.context().addCookies(heir);
      await page.goto(link);
      await page.getByRole("button", { name: "Accept" }).waitFor();
      await look(page, "Take over “Shop”", "transfer");
      await page.getByRole("button", { name: "Decline" }).click();
      await look(page, "You declined the page", "transfer-declined");
      await page.goto(link);
      await look(page, "This link is invalid", "transfer-gone");
    });
  });

  it("for an incident that a notification acknowledges", async () => {
    const created = await dashboard.call("POST", `${V1}/status-pages`, { name: "Yard", slug: "yard" });
    const fields = { status_page_id: created.id, title: "Payments are refused", message: "We look into it." };
    const incident = await dashboard.call("POST", `${V1}/incidents`, fields);
    const named = { id: String(incident.id), sent_at: Date.now(), user_id: null };
    const link = `${dashboard.service.url}/acknowledge/${acknowledgeToken(secret, named)}`;
    await visit(async (page) => {
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByRole("button", { name: "Acknowledge" }).waitFor();
      await look(page, "Payments are refused", "acknowledge");
      await page.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByText(/^Acknowledged at /).waitFor();
      await look(page, "Payments are refused", "acknowledged");
      await dashboard.call("PUT", `${V1}/incidents/${incident.id}`, { status: "resolved" });
      await page.goto(link);
      await page.getByText("This is over.").waitFor();
      await look(page, "Payments are refused", "acknowledge-over");
      await page.goto(`${link}gone`);
      await look(page, "This link is invalid", "acknowledge-gone");
    });
  });

  it("for the notification settings in the foot of a mail", async () => {
    const { id } = await dashboard.call("GET", `${CORE}/auth/me`);
    await visit(async (page) => {
      await page.context().clearCookies();
      await page.goto(`${dashboard.service.url}/preferences/${preferenceToken(secret, String(id))}`);
      await page.getByRole("button", { name: "Save" }).waitFor();
      await look(page, "Notification settings", "preferences");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      await look(page, "Notification settings", "preferences-saved");
    });
  });
});
