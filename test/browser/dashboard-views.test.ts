import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, findBarriersInAnySize, isWiderThanWindow, LIST_SHIFTS, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { collectViews, type FoundView } from "./views.ts";

/** Every view that the service describes, found by its links: a new one is among them by itself. */
const SWEEP_TIMEOUT_MS = 1_200_000;
/** For visitors without a session, or with the link of a mail, a screen, a passkey, a chat or a provider; for members of several pages; and what browsers load by themselves. */
const OUTSIDE =
  /^\/app\/(accept|sign-in|sign-in\/(link|with\/.+)|account\/(passkeys|sign-ins)\/.+|account\/chats(\/.+)?|forgotten-password|reset|second-factor|team\/\{page\}\/members\/\{member\}\/remove-everywhere|transfer|installation\/sign-in\/.+|wall\/.+|welcome|service-worker\.js|manifest\.webmanifest)$/;

describe.skipIf(!existsSync(CHROMIUM))("every view of the dashboard", () => {
  const dashboard = useDashboard({ isFurnished: true });
  let views: FoundView[];
  let described: string[];
  beforeAll(async () => {
    // A second session and a token, which can be ended.
    await dashboard.signInAgain();
    ({ views, described } = await collectViews(dashboard));
  }, SWEEP_TIMEOUT_MS);

  it("is reached by links, and no link leads nowhere", () => {
    const seen = new Set(views.map(({ template }) => template));
    expect(described.filter((path) => !seen.has(path) && !OUTSIDE.test(path))).toEqual([]);
    expect(views.filter(({ status }) => status !== 200).map(({ path, status }) => [path, status])).toEqual([]);
  });

  it("has a title of its own, one heading and nothing inline", () => {
    const titles = new Map<string, string>();
    for (const { path, template, text, isFrame } of views) {
      if (isFrame) continue;
      const title = /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? "";
      expect(title, path).toMatch(/^.+ \| Vigil$/);
      expect(text.match(/<h1[ >]/g), path).toHaveLength(1);
      expect(text, path).not.toMatch(/<style|<script(?![^>]* src=)|<[^<>]*\s(?:style|on\w+)=/);
      const other = titles.get(title);
      if (other !== undefined) expect([other, title]).toEqual([template, title]);
      titles.set(title, template);
    }
  });

  it(
    "has no barrier that axe finds, in light or dark, fits a desktop and a phone, and moves nothing",
    SWEEP(),
    async () => {
      const problems: Record<string, unknown> = {};
      await dashboard.visit(DESKTOP, async (page) => {
        for (const { path, template, isFrame } of views) {
          if (isFrame) continue;
          await page.goto(dashboard.service.url + path);
          const shifts = await page.evaluate<string[]>(LIST_SHIFTS);
          if (shifts.length > 0) problems[`${path} moves`] = shifts;
          const shot = `${template}${path.includes("?") ? path.replace(/.*\?/, "?") : ""}`.replace(/\W+/g, "-");
          const barriers = await findBarriersInAnySize(page, `view-${shot.slice(1, 70)}`);
          if (barriers.length > 0) problems[path] = barriers;
        }
      });
      expect(problems).toEqual({});
    },
  );

  it("answers without a script, with the same heading and navigation", SWEEP(), async () => {
    await dashboard.visit({ ...PHONE, javaScriptEnabled: false }, async (page) => {
      for (const { path, isFrame } of views) {
        if (isFrame) continue;
        await page.goto(dashboard.service.url + path);
        expect(await page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
        // A wall display leads nowhere.
        if (path === "/app/wall") continue;
        const navigation = page.getByRole("navigation", { name: "Main" });
        expect(await navigation.getByRole("link").count(), path).toBe(5);
        await navigation.getByRole("link", { name: "More", exact: true }).click();
        expect(await navigation.getByRole("link").count(), path).toBe(13);
        expect(await isWiderThanWindow(page), path).toBe(false);
      }
    });
  });

  it("draws its charts in the colours of the scheme", async () => {
    const colors = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      await dashboard.visit({ ...DESKTOP, colorScheme }, async (page) => {
        await page.goto(`${dashboard.service.url}/app/monitors/${dashboard.example.shop}`);
        const line = page.locator("figure[data-chart] .chart-line").first();
        await line.waitFor();
        colors.add(await page.evaluate("getComputedStyle(document.querySelector('.chart-line')).stroke"));
        await page.locator("[data-plot]").first().hover();
        await page.locator(".tip").getByText("Median").waitFor();
      });
    }
    expect(colors.size).toBe(2);
  });
});

function SWEEP() {
  return { timeout: SWEEP_TIMEOUT_MS };
}
