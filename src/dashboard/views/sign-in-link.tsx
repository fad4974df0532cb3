import type { Problems } from "../form.ts";
import { CodeField, EmailField } from "./fields.tsx";
import { renderDocument } from "./frame.tsx";

interface SignInLinkView {
  email: string;
  /** The link's own address, token included. */
  href: string;
  /** The account asks for a code. */
  needs_code: boolean;
  problems: Problems;
}

export function renderSignInLink({ email, href, needs_code, problems }: SignInLinkView): string {
  return renderDocument({
    title: "Sign in",
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>Sign in</h1>
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          {needs_code ? <CodeField problems={problems} /> : null}
          <button type="submit">Sign in</button>
        </form>
      </>
    ),
  });
}
