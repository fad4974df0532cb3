import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WEBHOOK_PROVIDERS } from "../../src/contract/webhook.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const read = (path: string) => readFileSync(join(DOCS, path), "utf8");

describe.each(WEBHOOK_PROVIDERS)("the page of the provider %s", (provider) => {
  const text = read(`channels/${provider}.md`);

  it("has its set-up in five steps", () => {
    expect(text.match(/^\d\. /gm)).toEqual(["1. ", "2. ", "3. ", "4. ", "5. "]);
    expect(text).toContain(`\`provider\`: \`${provider}\``);
  });

  it("is linked from the list of channels and links to pages that exist", () => {
    expect(read("channels.md")).toContain(`[\`${provider}\`](channels/${provider}.md)`);
    for (const [, path = ""] of text.matchAll(/\]\(((?!https)[^)#]+)[^)]*\)/g)) {
      expect(read(join("channels", path))).not.toBe("");
    }
  });
});
