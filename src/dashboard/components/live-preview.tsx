import type { Child } from "hono/jsx";
import { words } from "../words.ts";

const FRAME = "page-preview";

/** Within a form: sends it to the frame. The script does the same while fields change. */
export function PreviewButton({ address }: { address: string }) {
  const text = words("dashboard-frame").preview;
  return (
    <button
      type="submit"
      class="second"
      formaction={address}
      formtarget={FRAME}
      formnovalidate
      data-preview-button={FRAME}
    >
      {text.show}
    </button>
  );
}

/** A form beside what it makes: `address` shows it as stored, and as typed where the form is sent to it. */
export function WithPreview({ address, children }: { address: string; children: Child }) {
  const text = words("dashboard-frame").preview;
  return (
    <div class="editor">
      <div class="stack">{children}</div>
      <section class="preview" aria-labelledby="preview">
        <h2 id="preview">{text.show}</h2>
        <div class="frame" data-preview-frame>
          <iframe name={FRAME} title={text.frame} src={address} sandbox="allow-same-origin" />
        </div>
        <p class="quiet">{text.note}</p>
      </section>
    </div>
  );
}
