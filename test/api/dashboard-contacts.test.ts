import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";

const LIST = "/app/account/contacts";
let owner: Account;
let browser: Browser;
beforeAll(async () => {
  owner = await createAccount();
  browser = await browserOf(owner);
});

describe("contacts of a person", () => {
  it("are added by a form, which says what becomes of them", async () => {
    expect((await browser.open(LIST)).text).toContain("No contacts yet");
    const typed = { type: "email", value: "night@example.com", label: "Night" };
    const { status, headers } = await browser.submit(`${LIST}/new`, typed);
    expect([status, headers.get("location")]).toEqual([303, LIST]);
    const { text } = await browser.open(LIST);
    expect([text.includes("A code is on its way."), text.includes("Code sent to Night")]).toEqual([true, true]);
    const refused = await browser.submit(`${LIST}/new`, { ...typed, value: "nobody" });
    expect([refused.status, refused.text.includes('id="value-problem"')]).toEqual([400, true]);
  });

  it("are verified by their code, and removed", async () => {
    const { id, code } = await createContact(owner);
    const wrong = await browser.submit(`${LIST}/${id}/verify`, { code: "1" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("Code must be the 8 digits")]);
    expect((await browser.submit(`${LIST}/${id}/verify`, { code })).status).toBe(303);
    const read = async () => (await owner.client.get(`${V1}/notify-contacts`)).body as Record<string, unknown>[];
    expect((await read()).find((contact) => contact.id === id)?.verified).toBe(true);
    expect((await browser.submit(`${LIST}/${id}/delete`)).status).toBe(303);
    expect((await read()).some((contact) => contact.id === id)).toBe(false);
  });

  it("of others are not there", async () => {
    const { id } = await createContact(await createAccount());
    for (const verb of ["verify", "delete"]) {
      expect((await browser.submit(`${LIST}/${id}/${verb}`, { code: "12345678" })).status).toBe(404);
    }
  });
});
