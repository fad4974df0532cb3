import { describe, expect, it } from "vitest";
import { fillTemplate, parseTemplate, TEMPLATE_FIELDS, type TemplateValues } from "./message-template.ts";

const EMPTY = Object.fromEntries(TEMPLATE_FIELDS.map((field) => [field, ""])) as TemplateValues;

function fill(text: string, values: Partial<TemplateValues> = {}, escapeValue?: (value: string) => string): string {
  const template = parseTemplate(text);
  if (template.kind === "flawed") throw new Error(template.message);
  return fillTemplate(template.parts, { ...EMPTY, ...values }, escapeValue);
}

describe("a template", () => {
  it.each<[string, string, Partial<TemplateValues>, string]>([
    ["text without fields", "a } b { c", {}, "a } b { c"],
    ["a field", "{{title}}!", { title: "Shop is down" }, "Shop is down!"],
    ["spaces within the marks", "{{ monitor.name }}", { "monitor.name": "Shop" }, "Shop"],
    [
      "a condition that holds",
      "{{#if duration}}after {{duration}}{{else}}now{{/if}}.",
      { duration: "2 min" },
      "after 2 min.",
    ],
    ["one that does not", "{{#if duration}}after {{duration}}{{else}}now{{/if}}.", {}, "now."],
    ["one without else", "a{{#if url}} {{url}}{{/if}}b", {}, "ab"],
    ["one in another", "{{#if url}}{{#if text}}both{{else}}url{{/if}}{{/if}}", { url: "u" }, "url"],
    ["values that look like fields", "{{title}}", { title: "{{text}}", text: "no" }, "{{text}}"],
  ])("fills %s", (_name, text, values, filled) => {
    expect(fill(text, values)).toBe(filled);
  });

  it("escapes values, and not its own text", () => {
    const toJson = (value: string) => JSON.stringify(value).slice(1, -1);
    expect(JSON.parse(fill('{"t": "{{title}}"}', { title: 'a "b"\n\\' }, toJson))).toEqual({ t: 'a "b"\n\\' });
  });

  it.each([
    ["an unknown field", "{{monitor.nme}}", "must not use {{monitor.nme}}: known are"],
    ["an unknown field of a condition", "{{#if x}}{{/if}}", "must not use {{x}}: known are"],
    ["a loop", "{{#each monitors}}{{/each}}", "must not use {{#each monitors}}"],
    ["a name of every object", "{{constructor}}", "must not use {{constructor}}"],
    ["an open mark", "a {{title", "has a {{ without its }}"],
    ["an open condition", "{{#if title}}x", "has an {{#if}} without its {{/if}}"],
    ["an end without a condition", "x{{/if}}", "has an {{/if}} without its {{#if}}"],
    ["else without a condition", "{{else}}", "has an {{else}} outside of an {{#if}}"],
    ["a second else", "{{#if url}}{{else}}{{else}}{{/if}}", "has an {{else}} outside of an {{#if}}"],
    ["six conditions within each other", `${"{{#if url}}".repeat(6)}${"{{/if}}".repeat(6)}`, "must nest at most 5"],
    ["201 fields", "{{url}}".repeat(201), "must have at most 200 fields"],
  ])("refuses %s", (_name, text, message) => {
    expect(parseTemplate(text)).toEqual({ kind: "flawed", message: expect.stringContaining(message) });
  });

  it("takes what lies at its bounds", () => {
    expect(fill(`${"{{#if url}}".repeat(5)}x${"{{/if}}".repeat(5)}`, { url: "u" })).toBe("x");
    expect(fill("{{url}}".repeat(200), { url: "u" })).toHaveLength(200);
  });
});
