import { Time } from "../components/time.tsx";

/** Where a session is led that lacks the second factor which is required of it. */
export const SECOND_FACTOR_PATH = "/app/second-factor";

/** Above every view, for a person who has no second factor and needs one later. */
export function SecondFactorNotice({ due, now }: { due: number; now: number }) {
  return (
    <p class="banner is-warn" role="status">
      Everybody needs a second factor to sign in soon: <Time at={due} now={now} />.{" "}
      <a href={SECOND_FACTOR_PATH}>Set one up</a>
    </p>
  );
}
