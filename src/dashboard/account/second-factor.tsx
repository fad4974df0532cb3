import { Time } from "../components/time.tsx";
import { words } from "../words.ts";

/** Where a session is led that lacks the second factor which is required of it. */
export const SECOND_FACTOR_PATH = "/app/second-factor";

/** Above every view, for a person who has no second factor and needs one later. */
export function SecondFactorNotice({ due, now }: { due: number; now: number }) {
  const text = words("dashboard-account").second_factor;
  return (
    <p class="banner is-warn" role="status">
      {text.notice.parts({ due: <Time at={due} now={now} />, link: <a href={SECOND_FACTOR_PATH}>{text.set_up}</a> })}
    </p>
  );
}
