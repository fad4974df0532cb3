import { PasskeyAnswer, SIGN_IN_CHALLENGE } from "../components/passkey.tsx";
import type { Problems } from "../form.ts";
import { words } from "../words.ts";
import { CodeField, EmailField, PasswordField } from "./fields.tsx";
import { renderDocument } from "./frame.tsx";

export interface SignInView {
  email: string;
  /** Address after signing in; null for the home page. */
  next: string | null;
  problems: Problems;
  is_signed_out: boolean;
  /** The sealed password of the first step; null in the first step. */
  entered: string | null;
  public_url: string;
  providers: readonly ProviderButton[];
  /** On its own machine, before anybody has set a password: the form alone would lead nowhere. */
  is_new: boolean;
  script: string;
}

/** Another way to sign in than with a password. */
export interface ProviderButton {
  href: string;
  name: string;
}

export function renderSignIn(view: SignInView): string {
  return view.entered === null ? renderPasswordStep(view) : renderCodeStep({ ...view, entered: view.entered });
}

function renderCodeStep({ email, next, problems, entered, script }: SignInView & { entered: string }): string {
  const text = words("dashboard-frame").sign_in;
  return renderDocument({
    title: text.title,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    script,
    children: (
      <>
        <h1>{text.enter_code}</h1>
        <form class="card" method="post" action="/app/sign-in">
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <input type="hidden" name="entered" value={entered} />
          <EmailField value={email} isFixed problems={{}} />
          <CodeField problems={problems} />
          <button type="submit">{text.title}</button>
        </form>
        <form class="passkey" method="post" action="/app/sign-in">
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <input type="hidden" name="entered" value={entered} />
          <input type="hidden" name="email" value={email} />
          <PasskeyAnswer name="passkey" label={text.use_passkey} problem={problems.passkey} asked={SIGN_IN_CHALLENGE} />
        </form>
        <p class="lead">
          <a href="/app/sign-in">{text.again}</a>
        </p>
      </>
    ),
  });
}

function renderPasswordStep(view: SignInView): string {
  const text = words("dashboard-frame").sign_in;
  const { email, next, problems, is_signed_out, public_url, providers, is_new, script } = view;
  return renderDocument({
    title: text.title,
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    script,
    children: (
      <>
        <h1>{text.title}</h1>
        {is_signed_out ? (
          <p class="card notice" role="status">
            {text.signed_out}
          </p>
        ) : null}
        {is_new ? <FirstSignIn /> : null}
        <form class="card" method="post" action="/app/sign-in">
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <EmailField value={email} hasPasskeys problems={problems} />
          <PasswordField problems={problems} />
          <button type="submit">{text.title}</button>
        </form>
        <form class="passkey" method="post" action="/app/sign-in">
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <PasskeyAnswer
            name="passkey"
            label={text.with_passkey}
            problem={problems.passkey}
            asked={SIGN_IN_CHALLENGE}
            isAutofill
          />
        </form>
        <Providers providers={providers} />
        <ForgottenPassword />
        <WithoutPassword publicUrl={public_url} />
      </>
    ),
  });
}

function Providers({ providers }: Pick<SignInView, "providers">) {
  const text = words("dashboard-frame").sign_in;
  if (providers.length === 0) return null;
  return (
    <nav class="card ways" aria-label={text.other_ways}>
      {providers.map(({ href, name }) => (
        <a href={href} dir="auto">
          {text.with({ name })}
        </a>
      ))}
    </nav>
  );
}

/** What the first start printed is easily scrolled away, or never seen where something else started the service. */
function FirstSignIn() {
  const text = words("dashboard-frame").sign_in;
  return (
    <section class="card" aria-label={text.first}>
      <p>{text.first_hint}</p>
      <pre tabindex={0}>
        <code>npm run --silent token -- --email owner@localhost --sign-in-link</code>
      </pre>
    </section>
  );
}

export function ForgottenPassword() {
  const text = words("dashboard-frame").sign_in;
  return (
    <p class="lead">
      <a href="/app/forgotten-password">{text.forgot}</a>
    </p>
  );
}

/** For accounts that only have an API token. */
export function WithoutPassword({ publicUrl }: { publicUrl: string }) {
  const text = words("dashboard-frame").sign_in;
  return (
    <details>
      <summary>{text.has_token}</summary>
      <p>{text.has_token_hint}</p>
      <pre tabindex={0}>
        <code>{`curl ${publicUrl}/api/core/v1/auth/password \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"new_password": "…"}'`}</code>
      </pre>
    </details>
  );
}
