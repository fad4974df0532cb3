import type { Problems } from "../form.ts";
import { CodeField, EmailField, NameField, NewPasswordField, PasswordField } from "./fields.tsx";
import { renderDocument, SignOut } from "./frame.tsx";
import { ForgottenPassword, WithoutPassword } from "./sign-in.tsx";

export interface InvitationView {
  page_name: string;
  inviter: string;
  role: string;
  abilities: string;
  expires: { iso: string; text: string };
  /** Of the invitation. */
  email: string;
  /** The invitation's own address, token included. */
  href: string;
  sign_in_href: string;
  /** What this visitor has to do to accept. */
  step: "open_account" | "open_mail" | "sign_in" | "accept" | "change_account";
  /** Of the signed-in user. */
  signed_in_as: string | null;
  name: string;
  problems: Problems;
  /** The sealed password of the first step of signing in; null in the first step. */
  entered: string | null;
  public_url: string;
}

export function renderInvitation(view: InvitationView): string {
  return renderDocument({
    title: `Join "${view.page_name}"`,
    email: view.step === "accept" ? view.signed_in_as : null,
    isNarrow: true,
    hasProblem: Object.keys(view.problems).length > 0,
    children: (
      <>
        <h1>
          Join the team of <span dir="auto">{view.page_name}</span>
        </h1>
        <dl class="facts">
          <dt>Invited by</dt>
          <dd dir="auto">{view.inviter}</dd>
          <dt>Your role: {view.role}</dt>
          <dd>{view.abilities}</dd>
          <dt>Expires</dt>
          <dd>
            <time datetime={view.expires.iso}>{view.expires.text}</time>
          </dd>
        </dl>
        <Step view={view} />
      </>
    ),
  });
}

function Step({ view }: { view: InvitationView }) {
  const { email, href, name, problems } = view;
  switch (view.step) {
    case "open_account":
      return (
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          <NameField value={name} problems={problems} />
          <NewPasswordField problems={problems} />
          <button type="submit">Create account and join</button>
        </form>
      );
    case "sign_in":
      return (
        <>
          <p class="lead">This address already has an account. Sign in to accept the invitation.</p>
          <form class="card" method="post" action={view.sign_in_href}>
            <EmailField value={email} isFixed problems={{}} />
            {view.entered === null ? (
              <PasswordField problems={problems} />
            ) : (
              <>
                <input type="hidden" name="entered" value={view.entered} />
                <CodeField problems={problems} />
              </>
            )}
            <button type="submit">Sign in</button>
          </form>
          <ForgottenPassword />
          <WithoutPassword publicUrl={view.public_url} />
        </>
      );
    case "accept":
      return (
        <form class="card" method="post" action={href}>
          <p>
            You are signed in as <strong>{view.signed_in_as}</strong>.
          </p>
          {problems.password ? (
            <p class="problem" role="alert">
              {problems.password}
            </p>
          ) : null}
          <p>
            <button type="submit" class="wide">
              Accept
            </button>
          </p>
        </form>
      );
    case "open_mail":
      return (
        <section class="card alert" aria-labelledby="mail">
          <h2 id="mail">Open the link in your mail</h2>
          <p>
            We sent the invitation to <strong>{email}</strong>. Only the link in that mail shows that the address is
            yours.
          </p>
        </section>
      );
    case "change_account":
      return (
        <section class="card alert" aria-labelledby="other">
          <h2 id="other">This invitation is for another account</h2>
          <p>
            You are signed in as <strong>{view.signed_in_as}</strong>, but it was sent to <strong>{email}</strong>. Sign
            out to accept it under that address.
          </p>
          <p>
            <SignOut next={href} isWide />
          </p>
        </section>
      );
  }
}
