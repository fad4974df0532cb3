import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { BROWSERS, isWiderThanWindow } from "./chromium.ts";
import type { Stage } from "./dashboard.ts";

export interface Teller {
  page: Page;
  /** Of the browser: "a phone". */
  name: string;
  hasScripts: boolean;
  open(path: string): Promise<unknown>;
  press(button: string): Promise<void>;
  follow(link: string): Promise<void>;
  /** Waits until this text is there. */
  sees(text: string | RegExp): Promise<void>;
}

/** One story, run in every browser; the view that it ends with fits the window. */
export function story(stage: Stage, title: string, tell: (teller: Teller) => Promise<void>): void {
  it.each(BROWSERS)(`${title}, on %s`, async (name, options) => {
    await stage.visit({ ...options }, async (page) => {
      await tell({
        page,
        name,
        hasScripts: !("javaScriptEnabled" in options),
        open: (path) => page.goto(stage.service.url + path),
        press: (button) => page.getByRole("button", { name: button, exact: true }).first().click(),
        follow: (link) => page.getByRole("link", { name: link, exact: true }).first().click(),
        sees: (text) => page.getByText(text).first().waitFor(),
      });
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });
}
