import { requireUser } from "../../access/principal.ts";
import { getMe } from "../../features/sessions/service.ts";
import { page, redirectTo } from "../responses.ts";
import { view } from "../view.ts";
import { renderDocument } from "../views/frame.tsx";
import { words } from "../words.ts";
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
  const text = words("dashboard-account").second_factor;
  return renderDocument({
    title: text.title,
    email,
    isNarrow: true,
    children: (
      <>
        <h1>{text.title}</h1>
        <p class="lead">{text.lead({ email })}</p>
        {has_password ? (
          <section class="card" aria-label={text.factors}>
            <p class="actions">
              <a class="button" href="/app/account/passkeys/new">
                {text.passkey}
              </a>
              <a class="button second" href="/app/account/two-factor">
                {text.app}
              </a>
            </p>
          </section>
        ) : (
          <section class="card" aria-label={text.password}>
            <p>{text.no_password}</p>
            <p class="actions">
              <a class="button" href="/app/account/password">
                {text.set_password}
              </a>
            </p>
          </section>
        )}
      </>
    ),
  });
}
