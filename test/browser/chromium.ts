import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What all tests in a real browser share. */

export const CHROMIUM = "/usr/bin/chromium";
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Everything is done with scripts on both sizes, and every form without. */
export const BROWSERS = [
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
  ["a phone without scripts", { ...PHONE, javaScriptEnabled: false }],
] as const;

/** Set SHOTS to a folder to look at what the tests open. */
export const SHOTS = process.env.SHOTS;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCHEMES = ["light", "dark"] as const;
/** What axe checks by default that depends on colours. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds on the open document, by rule and place, in its present size. The schemes differ by colours alone, so in the
 * second one only the rules about colours run.
 */
export async function findBarriers(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(`window.axe ?? (() => { ${AXE} })()`);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    // Colours that are still on their way to the other scheme are nobody's to read.
    await page.evaluate(
      "for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()",
    );
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png`, fullPage: true });
    const rules = colorScheme === "light" ? "{}" : `{ runOnly: ${JSON.stringify(COLOR_RULES)} }`;
    const barriers: string[] = await page.evaluate(`axe.run(${rules}).then(${LIST_VIOLATIONS})`);
    found.push(...barriers.map((each) => `${colorScheme}: ${each}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

/** The same in the window of a desktop and of a phone, and whether it fits both. */
export async function findBarriersInAnySize(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, { viewport }] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    const barriers = await findBarriers(page, `${name}-${size}`);
    if (await isWiderThanWindow(page)) barriers.push("is wider than its window");
    found.push(...barriers.map((each) => `${size}: ${each}`));
  }
  return found;
}

const LIST_VIOLATIONS = `({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " at " + target + ": " + failureSummary))`;

/** Whether the document fits its window, but for parts that scroll by themselves. */
export async function isWiderThanWindow(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}

/** Runs in the page: what moved since it was opened, and from where to where. */
export const LIST_SHIFTS = `new Promise((done) => {
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => {
    const tell = ({ node, previousRect, currentRect }) => (node?.className || node?.nodeName) + " " + previousRect.y + " to " + currentRect.y;
    done(observer.takeRecords().map(({ value, sources }) => value.toFixed(4) + ": " + sources.map(tell).join(", ")));
  }));
})`;

/** From now on timers of the page run only as `page.clock.runFor` says, regardless of the load of the machine. */
export async function pauseTime(page: Page): Promise<void> {
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 1000);
}
