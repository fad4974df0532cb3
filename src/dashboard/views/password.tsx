import type { Problems } from "../form.ts";
import { EmailField, NewPasswordField } from "./fields.tsx";
import { renderDocument } from "./frame.tsx";

export function renderForgotten({ email, problems }: { email: string; problems: Problems }): string {
  return renderDocument({
    title: "Forgot your password?",
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>Forgot your password?</h1>
        <p class="lead">We send a reset link to your account's address.</p>
        <form class="card" method="post" action="/app/forgotten-password">
          <EmailField value={email} problems={problems.password ? { email: problems.password } : problems} />
          <button type="submit">Send reset link</button>
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
  return renderDocument({
    title: "Choose a new password",
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>Choose a new password</h1>
        <p class="lead">All sessions end.</p>
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          <NewPasswordField problems={problems} />
          <p>
            <label>
              <input type="checkbox" name="end_tokens" checked /> Also end my API tokens
            </label>
          </p>
          <button type="submit">Set the password and sign in</button>
        </form>
      </>
    ),
  });
}
