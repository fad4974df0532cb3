import type { Problems } from "../form.ts";
import { words } from "../words.ts";
import { EmailField, NewPasswordField } from "./fields.tsx";
import { renderDocument } from "./frame.tsx";

export function renderForgotten({ email, problems }: { email: string; problems: Problems }): string {
  const text = words("dashboard-frame").password;
  return renderDocument({
    title: text.forgot,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>{text.forgot}</h1>
        <p class="lead">{text.forgot_hint}</p>
        <form class="card" method="post" action="/app/forgotten-password">
          <EmailField value={email} problems={problems.password ? { email: problems.password } : problems} />
          <button type="submit">{text.send}</button>
        </form>
      </>
    ),
  });
}

export interface ResetView {
  email: string;
  /** The link's own address, token included. */
  href: string;
  problems: Problems;
}

export function renderReset({ email, href, problems }: ResetView): string {
  const text = words("dashboard-frame").password;
  return renderDocument({
    title: text.choose,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>{text.choose}</h1>
        <p class="lead">{text.sessions_end}</p>
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          <NewPasswordField problems={problems} />
          <p>
            <label>
              <input type="checkbox" name="end_tokens" checked /> {text.end_tokens}
            </label>
          </p>
          <button type="submit">{text.submit}</button>
        </form>
      </>
    ),
  });
}
