import { beforeAll, describe, expect, it, vi } from "vitest";
import { CORE, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { type Browser, ORIGIN } from "../support/forms.ts";
import { type FurnishedPage, furnishPage } from "../support/furnished-page.ts";
import { insertBrowser, joinPage } from "../support/members.ts";

/** What the dashboard destroys asks for a name first. */
let owner: Account;
let browser: Browser;
let made: FurnishedPage;
beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  browser = await browserOf(owner);
  made = await furnishPage(owner);
});

const nameIn = (text: string) => /To confirm, type <strong dir="auto">([^<]*)</.exec(text)?.[1] ?? "";
const countOf = async (path: string) => (await owner.client.get(path)).body.length;

interface Case {
  /** Of the confirmation. */
  path(): Promise<string>;
  /** A list of the API that is one shorter afterwards. */
  list(): string;
  /** What is to be typed, which is a name unless `isAddress`. */
  name: string | RegExp;
  isAddress?: true;
  /** Where the confirmation is linked. */
  linked(): string;
}

const CASES: Record<string, Case> = {
  "a group": {
    path: async () => {
      const { body } = await owner.client.get(`${V1}/status-pages/${made.page}/groups`);
      return `/app/pages/${made.page}/groups/${body[0].id}/delete`;
    },
    list: () => `${V1}/status-pages/${made.page}/groups`,
    name: "group name",
    linked: () => `/app/pages/${made.page}/services`,
  },
  "a subscriber": {
    path: async () => `/app/pages/${made.page}/subscribers/${made.subscriber}/delete`,
    list: () => `${V1}/subscribers?status_page_id=${made.page}`,
    name: "subscriber",
    isAddress: true,
    linked: () => `/app/pages/${made.page}/subscribers`,
  },
  "an invitation": {
    path: async () => `/app/team/${made.page}/invitations/${made.invitation}/revoke`,
    list: () => `${V1}/status-pages/${made.page}/members`,
    name: /@example\.com$/,
    isAddress: true,
    linked: () => `/app/team?page=${made.page}`,
  },
  "a member": {
    path: async () => {
      const member = await createAccount();
      await joinPage(member, made.page, { role: "viewer" });
      const { body } = await owner.client.get(`${V1}/status-pages/${made.page}/members`);
      const { id } = body.find(({ user_id }: { user_id: string }) => user_id === member.user_id);
      return `/app/team/${made.page}/members/${id}/remove`;
    },
    list: () => `${V1}/status-pages/${made.page}/members`,
    name: /@/,
    isAddress: true,
    linked: () => `/app/team?page=${made.page}`,
  },
  "an API token": {
    path: async () => {
      const { body } = await browserToken("Pipeline");
      return `/app/account/tokens/${body.id}/delete`;
    },
    list: () => `${CORE}/user/api-tokens`,
    name: "Pipeline",
    linked: () => "/app/account",
  },
  "a session": {
    path: async () => {
      await insertBrowser(owner);
      const { body } = await owner.client.get(`${CORE}/auth/sessions`);
      return `/app/account/sessions/${body[0].id}/end`;
    },
    list: () => `${CORE}/auth/sessions`,
    name: "Unknown browser",
    linked: () => "/app/account",
  },
};

/** Tokens are made by a person who is signed in. */
async function browserToken(name: string) {
  const answer = await browser.submit("/app/account/tokens", { name, expires_in_days: "" });
  expect(answer.status).toBe(200);
  const { body } = await owner.client.get(`${CORE}/user/api-tokens`);
  return { body: body.find((token: { name: string }) => token.name === name) };
}

describe.each(Object.entries(CASES))("%s", (_kind, { path: prepare, list, name, isAddress, linked }) => {
  it("is destroyed once its name or address was typed, and not before", async () => {
    const word = isAddress ? "address" : "name";
    const path = await prepare();
    const before = await countOf(list());
    expect((await browser.open(linked())).text).toContain(`href="${path}"`);
    const asked = await browser.open(path);
    const wanted = nameIn(asked.text);
    expect([asked.status, wanted]).toEqual([200, expect.stringMatching(name)]);
    expect(asked.text).toContain(`exact ${word}`);

    for (const confirmation of ["", `${wanted}x`]) {
      const refused = await browser.submit(path, { confirmation });
      expect([refused.status, refused.text.includes(`That is not the ${word}.`)]).toEqual([400, true]);
    }
    expect(await countOf(list())).toBe(before);

    const done = await browser.submit(path, { confirmation: ` ${wanted} ` });
    expect([done.status, done.headers.get("location")]).toEqual([303, linked().replace(/&.*/, "")]);
    expect(await countOf(list())).toBe(before - 1);
    expect((await browser.open(path)).status).toBe(404);
  });
});

describe("a confirmation", () => {
  it("names nothing of another page, and is refused to those who may not", async () => {
    const other = await furnishPage(owner);
    const { body: groups } = await owner.client.get(`${V1}/status-pages/${other.page}/groups`);
    const paths = [
      `/app/pages/${made.page}/groups/${groups[0].id}/delete`,
      `/app/pages/${made.page}/subscribers/${other.subscriber}/delete`,
    ];
    for (const path of paths) expect((await browser.open(path)).status, path).toBe(404);

    const stranger = await browserOf(await createAccount());
    const viewer = await createAccount();
    await joinPage(viewer, other.page, { role: "viewer" });
    const reader = await browserOf(viewer);
    const own = [
      `/app/pages/${other.page}/groups/${groups[0].id}/delete`,
      `/app/pages/${other.page}/subscribers/${other.subscriber}/delete`,
      `/app/team/${other.page}/invitations/${other.invitation}/revoke`,
    ];
    for (const path of own) {
      const answers = [await stranger.open(path), await reader.open(path), await reader.submit(path, {})];
      expect(
        answers.map(({ status }) => status),
        path,
      ).toEqual([404, 403, 403]);
    }
  });

  it("lets a member leave by the name of the page", async () => {
    const member = await createAccount();
    await joinPage(member, made.page, { role: "viewer" });
    const { body } = await owner.client.get(`${V1}/status-pages/${made.page}/members`);
    const { id } = body.find(({ user_id }: { user_id: string }) => user_id === member.user_id);
    const own = await browserOf(member);
    const path = `/app/team/${made.page}/members/${id}/remove`;
    expect(nameIn((await own.open(path)).text)).toBe("page name");
    expect((await own.submit(path, { confirmation: "page name" })).headers.get("location")).toBe("/app/team");
    expect((await own.open(`/app/pages/${made.page}`)).status).toBe(404);
  });
});

describe("an occurrence of maintenance", () => {
  it("that is under way is not offered to be cancelled", async () => {
    const [start, end] = [-60_000, 3_600_000].map((offset) => new Date(Date.now() + offset).toISOString());
    const window = { status_page_id: made.page, title: "Now", recurrence_type: "daily", start_time: start };
    const { body } = await owner.client.post(`${V1}/maintenance`, { ...window, end_time: end });
    const { text } = await browser.open(`/app/maintenance/${body.id}`);
    expect(text).toMatch(/<time [^>]*>[^<]*<\/time><span class="tag">In progress<\/span><\/li>/);
    expect(text).not.toContain(`/occurrences/${start}/cancel`);
    expect(text).toMatch(/\/occurrences\/[^/]+\/cancel/);
  });

  it("or a button of a view that is out of date is refused with the way back to that view", async () => {
    const { body } = await owner.client.post(`${V1}/maintenance`, {
      status_page_id: made.page,
      title: "Not yet",
      start_time: "2031-07-01T08:00:00Z",
      end_time: "2031-07-01T09:00:00Z",
    });
    const view = `/app/maintenance/${body.id}`;
    const press = (referer: string) => browser.submit(`${view}/complete`, {}, { referer });
    const { status, text } = await press(`${ORIGIN}${view}`);
    expect([status, text.includes(`href="${view}"`)]).toEqual([409, true]);
    expect((await press(`https://elsewhere.example${view}`)).text).not.toContain(`href="${view}"`);
  });

  it("is cancelled once the title was typed, the others stay", async () => {
    const start = new Date(Date.now() + 86_400_000).toISOString();
    const { body } = await owner.client.post(`${V1}/maintenance`, {
      status_page_id: made.page,
      title: "New disks",
      recurrence_type: "weekly",
      start_time: start,
      end_time: new Date(Date.parse(start) + 3_600_000).toISOString(),
    });
    const path = `/app/maintenance/${body.id}/occurrences/${start}/cancel`;
    expect((await browser.open(`/app/maintenance/${body.id}`)).text).toContain(`href="${path}"`);
    const asked = (await browser.open(path)).text;
    expect(nameIn(asked)).toBe("New disks");
    // In the zone of the reader, as the list has it.
    expect(asked).toMatch(/The occurrence of <time datetime="[^"]+" data-exact/);
    const cancelled = async () => (await owner.client.get(`${V1}/maintenance/${body.id}`)).body.cancelled_occurrences;
    expect((await browser.submit(path, { confirmation: "Disks" })).status).toBe(400);
    expect(await cancelled()).toEqual([]);
    expect((await browser.submit(path, { confirmation: "New disks" })).status).toBe(303);
    expect(await cancelled()).toEqual([start]);
    expect((await browser.open(`/app/maintenance/${body.id}`)).text).not.toContain(path);
  });
});
