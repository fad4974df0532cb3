import { toHtml } from "../../ui/document.tsx";
import { Field } from "../../ui/form-field.tsx";
import { Document } from "./frame.tsx";

interface UnlockView {
  base: string;
  home: string;
  /** Where the form leads to, within the page. */
  next: string;
  problem: string | null;
  /** Frames on other sites get no cookie, so their form would lead nowhere. */
  inFrame: boolean;
}

/** What visitors see of a page before they entered its password. */
export function renderUnlockPage({ base, home, next, problem, inFrame }: UnlockView): string {
  const title = "Password required";
  return toHtml(
    <Document title={title}>
      <main class="wrap unlock">
        <h1>{title}</h1>
        <p class="small">This status page is protected by a password.</p>
        {inFrame ? (
          <p>
            <a href={home} target="_blank" rel="noopener">
              Open the status page
            </a>
          </p>
        ) : (
          <form class="card" method="post" action={`${base}/unlock`}>
            <input type="hidden" name="next" value={next} />
            <Field
              name="password"
              label="Password"
              problem={problem}
              input={{ type: "password", autocomplete: "current-password", required: true, maxlength: 200 }}
            />
            <button type="submit">Open</button>
          </form>
        )}
      </main>
    </Document>,
  );
}
