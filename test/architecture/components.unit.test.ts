import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const DASHBOARD = resolve(import.meta.dirname, "../../src/dashboard");
const COMPONENTS = join(DASHBOARD, "components");
const shown = readFileSync(join(DASHBOARD, "development/component-states.tsx"), "utf8");

/** What has no look of its own. */
const ELSEWHERE: Record<string, string> = {
  DragForm: "is hidden, and sent by the script",
  FieldRow: "is one of Fields",
  PreviewButton: "is a secondary button",
  WithPreview: "shows a page that exists, in a frame",
};

const components = readdirSync(COMPONENTS)
  .filter((file) => file.endsWith(".tsx"))
  .flatMap((file) => [...readFileSync(join(COMPONENTS, file), "utf8").matchAll(/^export function ([A-Z]\w+)/gm)])
  .map(([, name = ""]) => name);

describe("the view of the components", () => {
  it("shows each of them", () => {
    const missing = components.filter((name) => !(name in ELSEWHERE) && !shown.includes(`<${name}`));
    expect(missing).toEqual([]);
  });

  it("has no exception that is none", () => {
    expect(Object.keys(ELSEWHERE).filter((name) => !components.includes(name) || shown.includes(`<${name}`))).toEqual(
      [],
    );
  });
});
