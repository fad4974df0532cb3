import type { Problems } from "../form.ts";
import { CodeField, EmailField, PasswordField } from "../views/fields.tsx";
import { renderDocument } from "../views/frame.tsx";
import { words } from "../words.ts";

interface Named {
  id: string;
  name: string;
}

interface ConfirmationView {
  provider: Named;
  /** Sealed: who the provider said this is. */
  proof: string;
  email: string;
  needs_password: boolean;
  needs_code: boolean;
  problems: Problems;
}

/** Before an account is opened by a provider for the first time, and where it asks for a code. */
export function renderConfirmation(view: ConfirmationView): string {
  const text = words("dashboard-account").sign_in;
  const { provider, proof, email, needs_password, needs_code, problems } = view;
  return renderDocument({
    title: needs_password ? text.confirm.title : text.sign_in,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>{needs_password ? text.confirm.heading : text.code_step}</h1>
        {needs_password ? (
          <p class="lead">{text.confirm.lead.parts({ provider: <span dir="auto">{provider.name}</span> })}</p>
        ) : null}
        <form class="card" method="post" action={`/app/sign-in/with/${provider.id}/confirm`}>
          <input type="hidden" name="proof" value={proof} />
          <EmailField value={email} isFixed problems={{}} />
          {needs_password ? <PasswordField problems={problems} /> : null}
          {needs_code ? <CodeField problems={problems} isFirst={!needs_password} /> : null}
          <button type="submit">{needs_password ? text.confirm.submit : text.sign_in}</button>
        </form>
        <p class="lead">
          <a href="/app/sign-in">{text.another_way}</a>
        </p>
      </>
    ),
  });
}

/** For somebody who is signed in and came back from the provider. */
export function renderLink({ provider, proof, email }: { provider: Named; proof: string; email: string }): string {
  const {
    sign_in: { link: text },
    shared,
  } = words("dashboard-account");
  return renderDocument({
    title: text.title,
    isNarrow: true,
    children: (
      <>
        <h1>{text.heading({ provider: provider.name })}</h1>
        <p class="lead">{text.lead.parts({ email: <span dir="auto">{email}</span> })}</p>
        <form class="card" method="post" action="/app/account/sign-ins">
          <input type="hidden" name="proof" value={proof} />
          <EmailField value={email} isFixed problems={{}} />
          <button type="submit">{text.submit}</button>
        </form>
        <p class="lead">
          <a href="/app/account/sign-ins">{shared.cancel}</a>
        </p>
      </>
    ),
  });
}
