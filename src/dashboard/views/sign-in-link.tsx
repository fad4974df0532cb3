import { EmailField } from "./fields.tsx";
import { renderDocument } from "./frame.tsx";

interface SignInLinkView {
  email: string;
  /** The link's own address, token included. */
  href: string;
}

export function renderSignInLink({ email, href }: SignInLinkView): string {
  return renderDocument({
    title: "Sign in",
    isNarrow: true,
    children: (
      <>
        <h1>Sign in</h1>
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          <button type="submit">Sign in</button>
        </form>
      </>
    ),
  });
}
