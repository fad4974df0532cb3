import type { Problems } from "../form.ts";
import { words } from "../words.ts";
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
  const text = words("dashboard-frame").sign_in;
  return renderDocument({
    title: text.title,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    children: (
      <>
        <h1>{text.title}</h1>
        <form class="card" method="post" action={href}>
          <EmailField value={email} isFixed problems={{}} />
          {needs_code ? <CodeField problems={problems} /> : null}
          <button type="submit">{text.title}</button>
        </form>
      </>
    ),
  });
}
