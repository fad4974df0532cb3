import { renderDocument } from "./frame.tsx";

export interface HomeView {
  name: string;
  email: string;
  /** Just joined. */
  joined: string | null;
  pages: { name: string; href: string; role: string; is_public: boolean }[];
  /** Number of pages beyond those listed. */
  more: number;
}

export function renderHome(view: HomeView): string {
  return renderDocument({
    title: "Your status pages",
    email: view.email,
    children: (
      <>
        <h1>Your status pages</h1>
        <p class="lead quiet">
          Signed in as <span dir="auto">{view.name}</span>, {view.email}
        </p>
        {view.joined ? (
          <p class="card notice" role="status">
            You are now a member of <strong dir="auto">{view.joined}</strong>.
          </p>
        ) : null}
        <Pages {...view} />
        <NextSteps />
      </>
    ),
  });
}

function Pages({ pages, more }: Pick<HomeView, "pages" | "more">) {
  if (pages.length === 0) {
    return (
      <p class="card">
        No status pages yet. Create one with <a href="/docs#/Status%20pages/postStatusPages">POST /status-pages</a>, or
        accept an invitation.
      </p>
    );
  }
  return (
    <div class="card">
      <ul class="pages">
        {pages.map((each) => (
          <li>
            <div class="row">
              <h2 class="name">
                <a href={each.href} dir="auto">
                  {each.name}
                </a>
              </h2>
              {each.is_public ? null : <span class="tag">Private</span>}
            </div>
            <p class="quiet">Your role: {each.role}</p>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="lead quiet">And {more} more, which the API lists.</p> : null}
    </div>
  );
}

function NextSteps() {
  return (
    <section aria-labelledby="next">
      <h2 id="next">What you can do from here</h2>
      <p>
        Monitors, incidents, maintenance and everything else are managed through the API. Its{" "}
        <a href="/docs">reference</a> can send requests from this browser, where you are signed in already:
      </p>
      <ul class="steps">
        <li>
          <a href="/docs#/Account/postUserApiTokens">Create an API token</a> for your own programs: “Try it out”, choose
          a name, “Execute”. The token is shown that once.
        </li>
        <li>
          <a href="/docs#/Account/postAuthPassword">Change your password</a> in the same way.
        </li>
      </ul>
    </section>
  );
}
