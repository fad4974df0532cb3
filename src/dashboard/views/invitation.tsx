import type { Problems } from "../form.ts";
import { words } from "../words.ts";
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
  const text = words("dashboard-frame").invitation;
  return renderDocument({
    title: text.title({ page_name: view.page_name }),
    email: view.step === "accept" ? view.signed_in_as : null,
    isNarrow: true,
    hasProblem: Object.keys(view.problems).length > 0,
    children: (
      <>
        <h1>{text.heading.parts({ page: <span dir="auto">{view.page_name}</span> })}</h1>
        <dl class="facts">
          <dt>{text.invited_by}</dt>
          <dd dir="auto">{view.inviter}</dd>
          <dt>{text.role({ role: view.role })}</dt>
          <dd>{view.abilities}</dd>
          <dt>{text.expires}</dt>
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
  const text = words("dashboard-frame").invitation;
  const { email, href, name, problems } = view;
  switch (view.step) {
    case "open_account":
      return (
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          <NameField value={name} problems={problems} />
          <NewPasswordField problems={problems} />
          <button type="submit">{text.create}</button>
        </form>
      );
    case "sign_in":
      return (
        <>
          <p class="lead">{text.has_account}</p>
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
            <button type="submit">{text.sign_in}</button>
          </form>
          <ForgottenPassword />
          <WithoutPassword publicUrl={view.public_url} />
        </>
      );
    case "accept":
      return (
        <form class="card" method="post" action={href}>
          <p>{text.signed_in.parts({ email: <strong>{view.signed_in_as}</strong> })}</p>
          {problems.password ? (
            <p class="problem" role="alert">
              {problems.password}
            </p>
          ) : null}
          <p>
            <button type="submit" class="wide">
              {text.accept}
            </button>
          </p>
        </form>
      );
    case "open_mail":
      return (
        <section class="card alert" aria-labelledby="mail">
          <h2 id="mail">{text.open_link.title}</h2>
          <p>{text.open_link.text.parts({ email: <strong>{email}</strong> })}</p>
        </section>
      );
    case "change_account":
      return (
        <section class="card alert" aria-labelledby="other">
          <h2 id="other">{text.other_account.title}</h2>
          <p>
            {text.other_account.text.parts({
              own: <strong>{view.signed_in_as}</strong>,
              email: <strong>{email}</strong>,
            })}
          </p>
          <p>
            <SignOut next={href} isWide />
          </p>
        </section>
      );
  }
}
