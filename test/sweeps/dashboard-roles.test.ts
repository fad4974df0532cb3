import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ENDPOINTS } from "../../src/app.ts";
import { CAPABILITIES, GRANTED_ROLES } from "../../src/contract/member.ts";
import type { Membership } from "../../src/domain/roles.ts";
import { browserOf, crawl, isOurs, keyOf } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { insertBrowser, joinPage } from "../support/members.ts";
import { type Control, readView } from "../support/shown-controls.ts";

/**
 * Everything that the dashboard offers, followed and submitted by every role: nothing is offered that is refused, and
 * nothing that a role may do is withheld. New views, forms and roles are held to it by themselves.
 */
const MEMBERSHIPS: [string, Membership][] = [
  ["an owner", { role: "owner", capabilities: [] }],
  ["an admin", { role: "admin", capabilities: [] }],
  ["an editor", { role: "editor", capabilities: [] }],
  ["a viewer", { role: "viewer", capabilities: [] }],
  ...CAPABILITIES.map((capability): [string, Membership] => [
    `a custom member with ${capability}`,
    { role: "custom", capabilities: [capability] },
  ]),
];
/**
 * For readers who are signed out or come by the link of a mail, for operators, for accounts without a monitor and owners of
 * several pages; and what views load by themselves (what changed, pictures).
 */
const OUTSIDE =
  /^\/app\/(sign-in|accept|acknowledge|preferences|reset|second-factor|forgotten-password|link|transfer|welcome|installation|account\/sign-ins\/|account\/chats$|demonstration|components|changes|live|wall\/|monitors\/watch|team\/\{page\}\/members\/\{member\}\/remove-everywhere)|\.(svg|js|webmanifest)$/;
/** Ends the session of the sweep, or changes the sweeping person's own account. */
const OWN = /^\/app\/(sign-out|theme|account)/;
/** What it makes or marks belongs to the caller, regardless of their role on a page. */
const OF_ANYBODY = ["/app/monitors/new", "/app/notifications/read", "/app/views"];
/** Answers for each of the selected monitors by itself, in words. */
const IN_WORDS = ["/app/monitors/selected"];

const GrantedRole = z.enum(GRANTED_ROLES);

beforeEach(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok")));

const nameIn = (text: string) => /To confirm, type <strong dir="auto">([^<]*)</.exec(text)?.[1];

/** What destroys comes last, and its name is typed. */
async function submitAll(browser: Browser, controls: Iterable<Control>) {
  const isLate = ({ action }: Control) => /delete|remove|revoke|unsubscribe/.test(action);
  const posts = [...controls].filter(({ method, action }) => method === "post" && !OWN.test(action));
  const answers: { control: Control; status: number; text: string }[] = [];
  for (const control of posts.toSorted((a, b) => Number(isLate(a)) - Number(isLate(b)))) {
    let { fields } = control;
    if (fields.some(([name]) => name === "confirmation")) {
      const name = nameIn((await browser.open(control.action)).text) ?? "";
      fields = fields.map(([field, value]) => (field === "confirmation" ? [field, name] : [field, value]));
    }
    answers.push({ control, ...(await browser.submit(control.action, fields)) });
  }
  return answers;
}

/** Rights depend neither on the type of a monitor nor on the provider of a channel, and not on what a list is narrowed to. */
const ALIKE = /([?&](?:month|from|type|provider|period|status|tag)=|\/occurrences\/)[\w:.%-]+/g;
const crawlOnce = (browser: Browser) => crawl(browser, undefined, ALIKE);

const reasonIn = (text: string) => />([^<>]{3,200})<\/(?:p|h1)>/.exec(text.split("<main")[1] ?? text)?.[1];
const told = ({ control, status, text }: { control: Control; status: number; text: string }) =>
  `${control.label}: ${keyOf(control)} answered ${status}, ${reasonIn(text)}`;

/** A page with one of everything and a member, and all that its owner is offered. */
async function preparePage() {
  const owner = await createAccount();
  const { page } = await furnishPage(owner);
  await joinPage(await createAccount(), page, { role: "viewer" });
  // Another browser of theirs, whose session can be ended.
  await insertBrowser(owner);
  return { owner, page, seen: await crawlOnce(await browserOf(owner)) };
}

describe("every view of the dashboard", () => {
  let shared: Awaited<ReturnType<typeof preparePage>>;
  beforeAll(async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    shared = await preparePage();
  }, 300_000);

  it.each(MEMBERSHIPS)(
    "offers %s exactly what they may do",
    { timeout: 300_000 },
    async (_name, { role, capabilities }) => {
      // Members who may do little share a page: what one of them may destroy is of no use to the next.
      const { owner, page, seen } = ["viewer", "custom"].includes(role) ? shared : await preparePage();
      const member = role === "owner" ? owner : await createAccount();
      if (role !== "owner") {
        await joinPage(member, page, { role: GrantedRole.parse(role), capabilities: [...capabilities] });
      }
      const browser = await browserOf(member);
      const mine = await crawlOnce(browser);

      expect.soft([...mine.linked].filter(([, status]) => ![200, 303].includes(status))).toEqual([]);
      // Views that are linked for the owner alone are refused, or offer this member nothing more than theirs do.
      const others = [...seen.linked.keys()].filter((path) => !mine.linked.has(path));
      const unlinked = new Map<string, Control>();
      for (const path of others) {
        const { status, text } = await browser.open(path);
        expect([200, 303, 403, 404], `${path}: ${status}`).toContain(status);
        if (status === 200) for (const each of (await readView(text)).controls) unlinked.set(keyOf(each), each);
      }

      const withheld = [...seen.controls].filter(([key]) => !mine.controls.has(key) && !unlinked.has(key));
      const granted = (
        await submitAll(
          browser,
          withheld.map(([, control]) => control),
        )
      ).filter(({ control, status }) => status < 400 && ![...IN_WORDS, ...OF_ANYBODY].includes(control.action));
      expect.soft(granted.map(told), "may be done, and is not offered").toEqual([]);

      const offered = new Map([...unlinked, ...mine.controls]).values();
      const refused = (await submitAll(browser, offered)).filter(({ status }) => status === 403 || status >= 500);
      expect.soft(refused.map(told), "is offered, and refused").toEqual([]);
    },
  );

  it("is reached by links from the navigation", () => {
    const { linked } = shared.seen;
    const paths = [...linked.keys()].map((path) => path.replace(/\?.*/, ""));
    const views = ENDPOINTS.filter(({ method, path }) => method === "get" && isOurs(path) && !OUTSIDE.test(path));
    const unseen = views.filter(({ path }) => {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "(?!new$)[^/]+")}$`);
      return !paths.some((each) => pattern.test(each));
    });
    expect(unseen.map(({ path }) => path)).toEqual([]);
  });
});
