import { words } from "../words.ts";
import { renderDocument } from "./frame.tsx";

interface TransferView {
  page_name: string;
  /** E-mail address of the present owner. */
  owner: string;
  /** The link's own address, token included. */
  href: string;
  /** Where the same link is declined. */
  decline_href: string;
  /** Why it could not be accepted. */
  problem: string | null;
}

export function renderTransfer({ page_name, owner, href, decline_href, problem }: TransferView): string {
  const text = words("dashboard-frame").transfer;
  return renderDocument({
    title: text.title({ page: page_name }),
    isNarrow: true,
    children: (
      <>
        <h1>{text.heading({ page: page_name })}</h1>
        <p class="lead">{text.lead({ owner })}</p>
        {problem && <p role="alert">{problem}</p>}
        <form class="card" method="post" action={href}>
          <p>{text.hint({ owner })}</p>
          <p class="row">
            <button type="submit">{text.accept}</button>
            <button type="submit" class="second" formaction={decline_href}>
              {text.decline}
            </button>
          </p>
        </form>
      </>
    ),
  });
}
