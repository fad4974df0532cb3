interface PasskeyAnswerProps {
  /** Of the hidden field that holds the answer. */
  name: string;
  label: string;
  problem?: string | undefined;
  /** Where the challenge is asked for. */
  asked?: string;
  /** What a new passkey is made of, as JSON. */
  making?: string;
  /** The browser also offers passkeys below the address field. */
  isAutofill?: boolean;
  isFirst?: boolean;
}

export const SIGN_IN_CHALLENGE = "/api/core/v1/auth/passkeys/sign-in/challenge";
export const CONFIRM_CHALLENGE = "/api/core/v1/auth/passkeys/confirm";

/** A button that has a passkey answer, and sends its form with that; the script shows it where the browser has passkeys. */
export function PasskeyAnswer({ name, label, problem, asked, making, isAutofill, isFirst }: PasskeyAnswerProps) {
  return (
    <div
      class="field"
      data-passkey={asked ?? ""}
      data-making={making}
      data-autofill={isAutofill ? "" : undefined}
      hidden
    >
      <input type="hidden" name={name} />
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class={isFirst ? "wide" : "second wide"}>
        {label}
      </button>
    </div>
  );
}
