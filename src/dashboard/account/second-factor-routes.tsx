import { requireUser } from "../../access/principal.ts";
import { getMe } from "../../features/sessions/service.ts";
import { page, redirectTo } from "../responses.ts";
import { view } from "../view.ts";
import { renderDocument } from "../views/frame.tsx";
import { SECOND_FACTOR_PATH } from "./second-factor.tsx";

export const endpoints = [
  view(
    {
      path: SECOND_FACTOR_PATH,
      summary: "What a session without a required second factor can do",
      withoutSecondFactor: true,
    },
    async (c) => {
      const { email, second_factor_due } = requireUser(c.var.ctx);
      if (second_factor_due == null) return redirectTo("/app");
      const { has_password } = await getMe(c.var.ctx);
      return page(renderRequired({ email, has_password }));
    },
  ),
];

/** Without the frame of other views, whose links would all lead back here. */
function renderRequired({ email, has_password }: { email: string; has_password: boolean }): string {
  return renderDocument({
    title: "Set up a second factor",
    email,
    isNarrow: true,
    children: (
      <>
        <h1>Set up a second factor</h1>
        <p class="lead">
          An operator of this service requires more than a password. {email} has no second factor yet; as soon as there
          is one, everything opens again.
        </p>
        {has_password ? (
          <section class="card" aria-label="Second factors">
            <p class="actions">
              <a class="button" href="/app/account/passkeys/new">
                Add a passkey
              </a>
              <a class="button second" href="/app/account/two-factor">
                Use an authenticator app
              </a>
            </p>
          </section>
        ) : (
          <section class="card" aria-label="Password">
            <p>The account has no password, which confirms that it is you. Set one first.</p>
            <p class="actions">
              <a class="button" href="/app/account/password">
                Set a password
              </a>
            </p>
          </section>
        )}
      </>
    ),
  });
}
