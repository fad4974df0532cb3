import { parseMarkdown } from "../../ui/markdown.ts";
import { Markdown } from "../../ui/markdown-view.tsx";
import { words } from "../words.ts";

/** Markdown as readers will see it. */
export function Preview({ text }: { text: string | null }) {
  const texts = words("dashboard-frame").preview;
  return (
    <div class="banner is-info" role="status" dir="auto">
      {text?.trim() ? <Markdown blocks={parseMarkdown(text)} /> : texts.empty}
    </div>
  );
}
