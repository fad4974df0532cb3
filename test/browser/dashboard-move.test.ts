import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { temporaryDir } from "../process/support.ts";
import { GATUS, writeUptimeKuma } from "../support/other-tools.ts";
import { CHROMIUM } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

const text = (name: string, content: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

async function choose(page: Page, tool: string, file: { name: string; mimeType: string; buffer: Buffer }) {
  await page.getByLabel("Tool", { exact: true }).selectOption({ label: tool });
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
}

describe.skipIf(!existsSync(CHROMIUM))("moving in from another tool", () => {
  const dashboard = useDashboard();
  const names = async () => {
    const monitors = (await dashboard.call("GET", "/api/uptime/v1/monitors")) as unknown as { name: string }[];
    return monitors.map(({ name }) => name).sort();
  };

  story(
    dashboard,
    "shows what comes, changes and stays behind before it makes anything, and takes it back",
    async ({ page, hasScripts, open, press, follow, sees }) => {
      await open("/app/monitors/new");
      await follow("Move from another tool");
      if (!hasScripts) return sees("The command line does the same");
      const before = await names();
      await choose(page, "Gatus", text("config.yaml", GATUS));
      await press("Show what would be imported");
      await sees("7 new, 0 already here, 1 left behind.");
      await sees("ping needs an agent in your network");
      expect(await names()).toEqual(before);
      await press("Import");
      await sees("7 imported.");
      expect(await names()).toEqual([...before, "certificate", "front-end", "job", "names", "port", "text"].sort());
      await press("Show what would be imported");
      await sees("0 new, 7 already here, 1 left behind.");
      expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);

      await open("/app/move");
      await press("Undo");
      await press("Delete them");
      await sees("Undone.");
      expect(await names()).toEqual(before);
      await open("/app/move");
      await page.getByLabel("Tool", { exact: true }).waitFor();
      expect(await page.getByText("Imported in the last day").count()).toBe(0);
    },
  );

  story(
    dashboard,
    "reads a database of Uptime Kuma, and says why a file is none",
    async ({ page, hasScripts, open, press, sees }) => {
      await open("/app/move");
      if (!hasScripts) return;
      const file = join(temporaryDir(), "kuma.db");
      writeUptimeKuma(file, "2.x");
      const database = readFileSync(file);
      await choose(page, "Uptime Kuma", { ...text("kuma.db", ""), buffer: database });
      await press("Show what would be imported");
      await sees("15 new, 0 already here, 4 left behind.");
      await sees("All systems");
      await choose(page, "Uptime Kuma", { ...text("kuma.db", ""), buffer: database.subarray(0, 5000) });
      await press("Show what would be imported");
      await sees("is no database of Uptime Kuma");
    },
  );
});
