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
  return renderDocument({
    title: `Take over ${page_name}`,
    isNarrow: true,
    children: (
      <>
        <h1>Take over “{page_name}”</h1>
        <p class="lead">{owner} transfers this status page to you, with its monitors.</p>
        {problem && <p role="alert">{problem}</p>}
        <form class="card" method="post" action={href}>
          <p>
            It then counts for your plan. {owner} stays as an admin. Monitors that private agents run are paused until
            you choose an agent of yours.
          </p>
          <p class="row">
            <button type="submit">Accept</button>
            <button type="submit" class="second" formaction={decline_href}>
              Decline
            </button>
          </p>
        </form>
      </>
    ),
  });
}
