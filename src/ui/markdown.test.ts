import { describe, expect, it } from "vitest";
import { blocksToText, parseMarkdown } from "./markdown.ts";
import { renderMarkdown } from "./markdown-view.tsx";

const html = (text: string | null) => renderMarkdown(parseMarkdown(text)).replaceAll(/ (?:class|dir)="[^"]*"/g, "");

describe("a text of people", () => {
  it.each<[string, string | null, string]>([
    ["nothing", null, ""],
    ["blanks", " \n ", ""],
    ["paragraphs and lines", "a\nb\n\nc", "<p>a<br/>b</p><p>c</p>"],
    ["marks", "**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
    ["a heading as bold text", "# a", "<p><strong>a</strong></p>"],
    ["lists", "- a\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["numbers", "1. a", "<ol><li><p>a</p></li></ol>"],
    ["a quote", "> a", "<blockquote><p>a</p></blockquote>"],
    ["code", "```\n<a>\n```", "<pre><code>&lt;a&gt;</code></pre>"],
    [
      "a link",
      "[a](https://b.example/?c=1&d)",
      '<p><a href="https://b.example/?c=1&amp;d" rel="nofollow noopener">a</a></p>',
    ],
    [
      "a bare link",
      "https://b.example",
      '<p><a href="https://b.example" rel="nofollow noopener">https://b.example</a></p>',
    ],
    ["a link to nowhere safe as text", "[a](javascript:b)", "<p>[a](javascript:b)</p>"],
    ["an image as text", "![a](https://b.example/c.png)", "<p>![a](https://b.example/c.png)</p>"],
    ["tags as text", "<b onclick=c>a</b>", "<p>&lt;b onclick=c&gt;a&lt;/b&gt;</p>"],
    ["a block of tags as text", "<div>\na\n</div>", "<p>&lt;div&gt;\na\n&lt;/div&gt;</p>"],
    ["a table as text", "| a |\n|---|\n| b |", "<p>| a |\n|---|\n| b |</p>"],
  ])("shows %s", (_name, text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it("has a form without marks", () => {
    expect(blocksToText(parseMarkdown("**a** [b](https://c.example)\n\n- d\n- e"))).toBe("a b\n\n- d\n- e");
  });
});
