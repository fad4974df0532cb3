import type { Child } from "hono/jsx";

const FRAME = "page-preview";

/** Within a form: sends it to the frame. The script does the same while fields change. */
export function PreviewButton({ address }: { address: string }) {
  return (
    <button
      type="submit"
      class="second"
      formaction={address}
      formtarget={FRAME}
      formnovalidate
      data-preview-button={FRAME}
    >
      Preview
    </button>
  );
}

/** A form beside what it makes: `address` shows it as stored, and as typed where the form is sent to it. */
export function WithPreview({ address, children }: { address: string; children: Child }) {
  return (
    <div class="editor">
      <div class="stack">{children}</div>
      <section class="preview" aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        <div class="frame" data-preview-frame>
          <iframe name={FRAME} title="The page as readers will see it" src={address} sandbox="allow-same-origin" />
        </div>
        <p class="quiet">As readers will see it. Nothing is saved yet.</p>
      </section>
    </div>
  );
}
