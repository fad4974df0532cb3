import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../contract/session.ts";
import { Field } from "../../ui/form-field.tsx";
import type { Problems } from "../form.ts";
import { words } from "../words.ts";

interface EmailFieldProps {
  value: string;
  isFixed?: boolean;
  /** The browser offers passkeys here, too. */
  hasPasskeys?: boolean;
  problems: Problems;
}

/** A fixed address is there to be read, and for password managers to know whose password this is. */
export function EmailField({ value, isFixed, hasPasskeys, problems }: EmailFieldProps) {
  const text = words("dashboard-frame").sign_in_fields;
  const input = {
    type: "email",
    value,
    autocomplete: hasPasskeys ? "username webauthn" : "username",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
  };
  return (
    <Field
      name="email"
      label={text.email}
      problem={problems.email}
      input={isFixed ? { ...input, readonly: true } : input}
    />
  );
}

export function NameField({ value, problems }: { value: string; problems: Problems }) {
  const text = words("dashboard-frame").sign_in_fields;
  const input = { type: "text", value, autocomplete: "name", required: true, maxlength: NAME_LENGTH_MAX };
  return <Field name="name" label={text.name} hint={text.name_hint} problem={problems.name} input={input} />;
}

export function NewPasswordField({ problems }: { problems: Problems }) {
  const text = words("dashboard-frame").sign_in_fields;
  const bounds = { minlength: PASSWORD_LENGTH_MIN, maxlength: PASSWORD_LENGTH_MAX };
  return (
    <Field
      name="password"
      label={text.new_password}
      hint={text.new_password_hint({ n: PASSWORD_LENGTH_MIN })}
      problem={problems.password}
      input={{ type: "password", autocomplete: "new-password", required: true, ...bounds }}
    />
  );
}

/** Of the authenticator app, which browsers and phones know how to fill in, or a recovery code. */
export function CodeField({ problems, isFirst = true }: { problems: Problems; isFirst?: boolean }) {
  const text = words("dashboard-frame").sign_in_fields;
  const input = { type: "text", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false" };
  return (
    <Field
      name="code"
      label={text.code}
      hint={text.code_hint}
      problem={problems.code}
      input={{ ...input, required: true, maxlength: 64, autofocus: isFirst }}
    />
  );
}

export function PasswordField({ problems }: { problems: Problems }) {
  const text = words("dashboard-frame").sign_in_fields;
  return (
    <Field
      name="password"
      label={text.password}
      problem={problems.password}
      input={{ type: "password", autocomplete: "current-password", required: true, maxlength: PASSWORD_LENGTH_MAX }}
    />
  );
}
