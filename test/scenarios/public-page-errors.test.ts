import { describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { createShop, createVisitor } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const HTML = expect.stringContaining("text/html");
const titleOf = (text: string) => /<h1>([^<]*)/.exec(text)?.[1];

describe("a visitor of a public page", () => {
  it("reads a page about an incident that does not exist, with a link back", async () => {
    const { path } = await createShop();
    const { status, text, headers } = await visit(`${path}/incidents/${newId()}`);
    expect([status, headers.get("content-type"), titleOf(text)]).toEqual([404, HTML, "Incident not found"]);
    expect(text).toContain(`href="${path}">Northwind: All services</a>`);
  });

  it("reads a page about an address that is not valid", async () => {
    const { path } = await createShop();
    const { status, text, headers } = await visit(`${path}/history?before=yesterday`);
    expect([status, headers.get("content-type"), titleOf(text)]).toEqual([400, HTML, "Invalid request"]);
  });

  it("is offered to sign in where there is no public page", async () => {
    const { path } = await createShop({ is_public: false });
    const { status, text } = await visit(path);
    expect([status, titleOf(text)]).toEqual([404, "Page not found"]);
    expect(text).toContain('href="/app/sign-in"');
  });
});
