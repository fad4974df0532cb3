import { beforeEach, describe, expect, it } from "vitest";
import { createClientUnder, V1 } from "../support/client.ts";
import { emptyTables } from "../support/database.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { emailOf, insertBrowser, insertPassword } from "../support/members.ts";

const PATH = "/app/installation/outbox";
const HERE = { ONLY_HERE: "true" };
const SENDING = { ...HERE, MAIL_FROM: "status@vigil.example", MAIL_HTTP_URL: "https://mail.example/send" };

let operator: Account;
let session: Record<string, string>;
beforeEach(async () => {
  await emptyTables();
  operator = await createAccount({ operator: true });
  await insertPassword(operator);
  session = await insertBrowser(operator);
});

const browse = (overrides: Record<string, string>, path = PATH, headers = session) =>
  createClientUnder(overrides).request("GET", path, undefined, headers);

async function invite(email: string, overrides: Record<string, string> = HERE) {
  const client = createClientUnder(overrides, operator.token);
  const page = (await client.post(`${V1}/status-pages`, { name: "Shops", slug: `s-${email.length}` })).body;
  const answer = await client.post(`${V1}/status-pages/${page.id}/members`, { email, role: "viewer" });
  expect(answer.status).toBe(201);
}

describe("the outbox of a service on one machine that sends no mail", () => {
  it("shows its operator what waits, with the link that the mail holds", async () => {
    expect(await browse(HERE)).toMatchObject({ status: 200, body: expect.stringContaining("No mail is waiting") });
    await invite("ann@mail.example");
    const { status, body } = await browse(HERE);
    expect(status).toBe(200);
    expect(body).toContain("ann@mail.example");
    expect(body).toMatch(/<a href="[^"]*\/app\/accept\?token=/);
    expect((await browse(HERE, "/app/installation")).body).toContain(`href="${PATH}"`);
  });

  it("hands out nothing that opens another account", async () => {
    const other = await createAccount();
    await invite(emailOf(other));
    const { body } = await browse(HERE);
    expect(body).toContain(emailOf(other));
    expect(body).not.toContain("/app/accept?token=");
  });

  it.each([
    ["is reached by others, as on Cloudflare", {}],
    ["sends mail", SENDING],
  ])("is not there where the service %s", async (_where, overrides) => {
    await invite("ann@mail.example", HERE);
    const { status, body } = await browse(overrides);
    expect(status).toBe(404);
    expect(body).not.toContain("ann@mail.example");
    expect((await browse(overrides, "/app/installation")).body).not.toContain(PATH);
  });

  it("is for operators alone, and for their browsers, not for their tokens", async () => {
    const other = await createAccount();
    await insertPassword(other);
    expect((await browse(HERE, PATH, await insertBrowser(other))).status).toBe(403);
    expect((await createClientUnder(HERE, operator.token).get(PATH)).status).toBe(403);
    expect((await createClientUnder(HERE).get(PATH)).status).toBe(303);
  });

  it("is named where a mail is announced", async () => {
    const contact = { type: "email", value: "pager@mail.example" };
    expect((await createClientUnder(HERE, operator.token).post(`${V1}/notify-contacts`, contact)).status).toBe(201);
    expect((await browse(HERE, "/app/account/contacts")).body).toContain(`href="${PATH}"`);
    expect((await browse({}, "/app/account/contacts")).body).not.toContain(PATH);
  });
});

describe("the sign-in form of a service on one machine", () => {
  const form = (overrides: Record<string, string>) => createClientUnder(overrides).get("/app/sign-in");

  it("says how its operator comes in, until somebody has a password", async () => {
    await emptyTables();
    const first = await createAccount({ operator: true });
    expect((await form(HERE)).body).toContain("--sign-in-link");
    expect((await form({})).body).not.toContain("--sign-in-link");
    await insertPassword(first);
    expect((await form(HERE)).body).not.toContain("--sign-in-link");
  });
});
