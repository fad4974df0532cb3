import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { statusWord } from "../../src/dashboard/components/status-word.tsx";
import { inWords } from "../../src/dashboard/words.ts";
import { loadDashboardTexts } from "../../src/language/dashboard-texts.ts";
import { V1 } from "../support/client.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { type Control, readView } from "../support/shown-controls.ts";

/** What holds for every form and every view, also for those that come later. */
describe("the forms of the dashboard", () => {
  const views = new Map<string, string>();
  let controls: Control[] = [];
  let browser: Browser;
  beforeAll(async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    const account = await createAccount({ operator: true });
    const { page } = await furnishPage(account);
    // One with a word about a step that reaches nobody.
    const contacts = [{ type: "telegram", value: "-100777" }];
    const policy = { name: "Unlinked", steps: [{ level: 1, wait_minutes: 0, contacts }] };
    const made = await account.client.post(`${V1}/status-pages/${page}/on-call/policies`, policy);
    expect(made.body.notices).toHaveLength(1);
    browser = await browserOf(account);
    const found = await crawl(browser, (path, text) => views.set(path, text));
    controls = [...found.controls.values()];
  }, 300_000);
  afterAll(() => void vi.restoreAllMocks());

  it("have no button whose word is a status", async () => {
    const english = await loadDashboardTexts(env, "en");
    const words = (["up", "down", "degraded", "unknown", "paused", "pending", "maintenance"] as const).map((status) =>
      inWords(english, () => statusWord(status)),
    );
    const named = controls.filter(
      ({ label, action }) => words.includes(label as never) && action !== "/app/maintenance",
    );
    expect(named.map(({ action, label }) => `${action}: ${label}`)).toEqual([]);
    expect(controls.length).toBeGreaterThan(50);
  });

  it("announce an action alone: what a view says of a thing stands beside it", () => {
    expect([...views].filter(([, text]) => /class="[^"]*\bnotice\b/.test(text)).map(([path]) => path)).toEqual([]);
    expect([...views.values()].some((text) => text.includes("linked to none of your status pages"))).toBe(true);
  });

  it("name beside each time the zone in which it is meant", () => {
    const unnamed: string[] = [];
    let total = 0;
    for (const [path, text] of views) {
      for (const [field, name = ""] of text.matchAll(
        /<input type="(?:datetime-local|date)"[^>]*name="([^"]+)"[^>]*>/g,
      )) {
        total += 1;
        const hint = /aria-describedby="([\w-]+)/.exec(field)?.[1];
        const said = new RegExp(`id="${hint}"[^>]*>([^<]*)`).exec(text)?.[1] ?? "";
        if (!/[A-Z]\w+\/\w+|UTC/.test(said)) unnamed.push(`${path} ${name}`);
      }
    }
    expect(unnamed).toEqual([]);
    expect(total).toBeGreaterThan(5);
  });

  it("keep what is typed, or ask before it is lost", async () => {
    const losing: string[] = [];
    for (const [path, text] of views) losing.push(...(await formsThatLose(text)).map((each) => `${path} ${each}`));
    expect(losing).toEqual([]);
  });

  it("follow each status that a view shows, where the view follows changes", async () => {
    const stale: string[] = [];
    for (const [path, text] of views) {
      if (text.includes("data-follow=")) stale.push(...(await statusesAlone(text)).map((each) => `${path} ${each}`));
    }
    expect(stale).toEqual([]);
  });

  it("stand outside of what follows changes, so that a choice is not taken back", async () => {
    const replaced: string[] = [];
    for (const [path, text] of views) {
      await new HTMLRewriter()
        .on("[data-live] select, [data-live] textarea, [data-live] input[type=text]", {
          element: (field) => void replaced.push(`${path} ${field.getAttribute("name")}`),
        })
        .transform(new Response(text))
        .text();
    }
    expect(replaced).toEqual([]);
  });

  it("refuse in the words of their fields, without a path or a name of the API, and say none twice", async () => {
    const wrong: string[] = [];
    let refused = 0;
    for (const control of asked(controls)) {
      for (const value of ["", "-7", "2031-01-01T00:00", "no\nsuch {value}"]) {
        const fields = control.fields.map(([name, typed]): [string, string] => [name, isFixed(name) ? typed : value]);
        const { status, text } = await browser.submit(control.action, fields);
        if (status < 400) continue;
        refused += 1;
        const said = [
          ...text.matchAll(/<p class="problem[^>]*>([^<]*)/g),
          ...text.matchAll(/<p class="lead[^>]*>([^<]*)/g),
        ];
        for (const [, sentence = ""] of said) {
          if (isTechnical(sentence)) wrong.push(`${control.action} with ${JSON.stringify(value)}: ${sentence}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(30);
  });

  it("offer no button that is refused", async () => {
    const refused: string[] = [];
    const pressed = new Set<string>();
    for (const path of views.keys()) {
      for (const key of (await buttonsIn(browser, path)).keys()) {
        // What one button does takes others away.
        const control = pressed.has(key) ? undefined : (await buttonsIn(browser, path)).get(key);
        if (!control) continue;
        pressed.add(key);
        const { status, text } = await browser.submit(control.action, control.fields);
        if (status >= 400)
          refused.push(`${path} ${control.label}: ${status} ${/class="lead"[^>]*>([^<]*)/.exec(text)?.[1]}`);
      }
    }
    expect(refused).toEqual([]);
    expect(pressed.size).toBeGreaterThan(20);
  });
});

/** The forms of a view that ask for nothing, each a button, by what it does. */
async function buttonsIn(browser: Browser, path: string): Promise<Map<string, Control>> {
  const { text } = await browser.open(path);
  const forms = [...text.matchAll(/<form[^>]*method="post".*?<\/form>/gs)].map(([form]) => form);
  const bare = forms.filter((form) => !/<(select|textarea|input(?! type="hidden"))/.test(form));
  const controls = (await Promise.all(bare.map(readView))).flatMap((shown) => shown.controls);
  return new Map(controls.filter(({ action }) => !ENDING.test(action)).map((control) => [kindOf(control), control]));
}

/** Of many rows one is enough. */
const kindOf = ({ action, fields }: Control) => JSON.stringify([action, fields]).replaceAll(/[0-9a-f-]{36}/g, "*");

/** Those that ask for something, and destroy nothing. */
function asked(controls: readonly Control[]): Control[] {
  const byAction = new Map<string, Control>();
  for (const control of controls) {
    const { method, action, fields } = control;
    const asks = fields.some(([name]) => !isFixed(name));
    if (method !== "post" || !asks || ENDING.test(action)) continue;
    byAction.set(action.replaceAll(/[0-9a-f-]{36}/g, "*") + fields.length, control);
  }
  return [...byAction.values()];
}

const ENDING = /\/(delete|cancel|remove|revoke|sign-out|theme|rotate|end-everything|selected|leave|order)$/;
const isFixed = (name: string) =>
  /^(made_from|seen|once|intent|back|next|.*_zone|status_page_id|type|provider)$/.test(name);

/** A member of the API, a path into it, a word of a validator, or a word said twice. */
function isTechnical(sentence: string): boolean {
  const text = sentence.replaceAll(/&quot;.*?&quot;|“.*?”|https?:\S+/g, "");
  return (
    /\b[a-z]+_[a-z]+\b|\w\[\d|\b\w+\.\d|Invalid input|undefined|\bnull\b|\[object/.test(text) ||
    /^(\w[\w ]*?) \1\b/i.test(text)
  );
}

/** Forms with a text of several lines that the script neither keeps as a draft nor asks about. */
async function formsThatLose(text: string): Promise<string[]> {
  const losing = new Set<string>();
  let current: { action: string; isSafe: boolean } | null = null;
  await new HTMLRewriter()
    .on("form", {
      element: (form) => {
        current = { action: form.getAttribute("action") ?? "", isSafe: form.hasAttribute("data-draft") };
      },
    })
    .on("form.card, .card > form", {
      element: () => {
        if (current) current.isSafe = true;
      },
    })
    .on("form textarea", {
      element: () => {
        if (current && !current.isSafe) losing.add(current.action);
      },
    })
    .transform(new Response(text))
    .text();
  return [...losing];
}

/** Statuses outside the parts that follow changes. */
async function statusesAlone(text: string): Promise<string[]> {
  const found: string[] = [];
  let depth = 0;
  await new HTMLRewriter()
    .on("[data-live]:not(input)", {
      element(part) {
        depth += 1;
        part.onEndTag(() => {
          depth -= 1;
        });
      },
    })
    .on("main .status", {
      element: (status) => {
        if (depth === 0) found.push(status.getAttribute("class") ?? "");
      },
    })
    .transform(new Response(text))
    .text();
  return found;
}
