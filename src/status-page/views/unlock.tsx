import type { PageTexts } from "../../language/texts.ts";
import { Mark } from "../../ui/design/mark.tsx";
import { toHtml } from "../../ui/document.tsx";
import { Field } from "../../ui/form-field.tsx";
import { Document } from "./frame.tsx";

interface UnlockView {
  texts: PageTexts;
  base: string;
  home: string;
  /** Where the form leads to, within the page. */
  next: string;
  problem: string | null;
  /** Frames on other sites get no cookie, so their form would lead nowhere. */
  inFrame: boolean;
}

/** What visitors see of a page before they entered its password. */
export function renderUnlockPage({ texts, base, home, next, problem, inFrame }: UnlockView): string {
  const words = texts.unlock;
  return toHtml(
    <Document title={words.title} texts={texts}>
      <main class="wrap unlock">
        <Mark size={48} />
        <h1>{words.title}</h1>
        <p class="small">{words.text}</p>
        {inFrame ? (
          <p>
            <a href={home} target="_blank" rel="noopener">
              {words.open_page}
            </a>
          </p>
        ) : (
          <form class="card" method="post" action={`${base}/unlock`}>
            <input type="hidden" name="next" value={next} />
            <input type="text" name="username" autocomplete="username" value={base} hidden />
            <Field
              name="password"
              label={words.password}
              problem={problem}
              input={{ type: "password", autocomplete: "current-password", required: true, maxlength: 200 }}
            />
            <button type="submit">{words.open}</button>
          </form>
        )}
      </main>
    </Document>,
  );
}
