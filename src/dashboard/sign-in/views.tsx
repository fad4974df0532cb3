import type { Problems } from "../form.ts";
import { CodeField, EmailField, PasswordField } from "../views/fields.tsx";
import { renderDocument } from "../views/frame.tsx";

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
  const { provider, proof, email, needs_password, needs_code, problems } = view;
  return renderDocument({
    title: needs_password ? "Link your account" : "Sign in",
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>{needs_password ? "You have an account already" : "Enter your code"}</h1>
        {needs_password ? (
          <p class="lead">
            Enter its password once. From then on <span dir="auto">{provider.name}</span> signs you in to it.
          </p>
        ) : null}
        <form class="card" method="post" action={`/app/sign-in/with/${provider.id}/confirm`}>
          <input type="hidden" name="proof" value={proof} />
          <EmailField value={email} isFixed problems={{}} />
          {needs_password ? <PasswordField problems={problems} /> : null}
          {needs_code ? <CodeField problems={problems} isFirst={!needs_password} /> : null}
          <button type="submit">{needs_password ? "Link and sign in" : "Sign in"}</button>
        </form>
        <p class="lead">
          <a href="/app/sign-in">Sign in another way</a>
        </p>
      </>
    ),
  });
}

/** For somebody who is signed in and came back from the provider. */
export function renderLink({ provider, proof, email }: { provider: Named; proof: string; email: string }): string {
  return renderDocument({
    title: "Link this sign-in",
    isNarrow: true,
    children: (
      <>
        <h1>Link {provider.name}?</h1>
        <p class="lead">
          Whoever signs in there as <span dir="auto">{email}</span> is signed in to your account here from then on.
        </p>
        <form class="card" method="post" action="/app/account/sign-ins">
          <input type="hidden" name="proof" value={proof} />
          <EmailField value={email} isFixed problems={{}} />
          <button type="submit">Link</button>
        </form>
        <p class="lead">
          <a href="/app/account/sign-ins">Cancel</a>
        </p>
      </>
    ),
  });
}
