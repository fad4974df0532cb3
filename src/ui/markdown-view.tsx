import type { Child } from "hono/jsx";
import type { Block, Inline } from "./markdown.ts";

/** Parsed Markdown. Only the elements below can result from it. */
export function Markdown({ blocks }: { blocks: Block[] }) {
  return (
    <>
      {blocks.map((block) => (
        <BlockElement block={block} />
      ))}
    </>
  );
}

/** Parsed Markdown below, or in the case of a first paragraph beside, what it is called. Without a text there is no label. */
export function LabelledMarkdown({ blocks, label }: { blocks: Block[]; label: (text: Child) => Child }) {
  const [first, ...rest] = blocks;
  if (first === undefined) return null;
  const isBeside = first.kind === "paragraph";
  return (
    <>
      <p class="text" dir="auto">
        {label(isBeside ? <Inlines inlines={first.children} /> : "")}
      </p>
      <Markdown blocks={isBeside ? rest : blocks} />
    </>
  );
}

function BlockElement({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p class="text" dir="auto">
          <Inlines inlines={block.children} />
        </p>
      );
    case "quote":
      return (
        <blockquote class="text">
          <Markdown blocks={block.children} />
        </blockquote>
      );
    case "code":
      return (
        <pre class="text">
          <code>{block.text}</code>
        </pre>
      );
    case "list": {
      const items = block.items.map((item) => (
        <li>
          <Markdown blocks={item} />
        </li>
      ));
      return block.ordered ? <ol class="text list">{items}</ol> : <ul class="text list">{items}</ul>;
    }
  }
}

function Inlines({ inlines }: { inlines: Inline[] }) {
  return (
    <>
      {inlines.map((inline) => (
        <InlineElement inline={inline} />
      ))}
    </>
  );
}

function InlineElement({ inline }: { inline: Inline }) {
  switch (inline.kind) {
    case "text":
      return <>{inline.text}</>;
    case "code":
      return <code>{inline.text}</code>;
    case "break":
      return <br />;
    case "strong":
      return (
        <strong>
          <Inlines inlines={inline.children} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines inlines={inline.children} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines inlines={inline.children} />
        </del>
      );
    case "link":
      return (
        <a href={inline.href} rel="nofollow noopener">
          <Inlines inlines={inline.children} />
        </a>
      );
  }
}

/** For feeds, which take a document's part as text. */
export function renderMarkdown(blocks: Block[]): string {
  return String(<Markdown blocks={blocks} />);
}
