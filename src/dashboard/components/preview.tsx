import { parseMarkdown } from "../../ui/markdown.ts";
import { Markdown } from "../../ui/markdown-view.tsx";

/** Markdown as readers will see it. */
export function Preview({ text }: { text: string | null }) {
  return (
    <div class="banner is-info" role="status" dir="auto">
      {text?.trim() ? <Markdown blocks={parseMarkdown(text)} /> : "Nothing was written yet."}
    </div>
  );
}
