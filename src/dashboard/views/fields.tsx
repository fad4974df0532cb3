import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../contract/session.ts";
import { Field } from "../../ui/form-field.tsx";
import type { Problems } from "../form.ts";

interface EmailFieldProps {
  value: string;
  isFixed?: boolean;
  /** The browser offers passkeys here, too. */
  hasPasskeys?: boolean;
  problems: Problems;
}

/** A fixed address is there to be read, and for password managers to know whose password this is. */
export function EmailField({ value, isFixed, hasPasskeys, problems }: EmailFieldProps) {
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
      label="E-mail address"
      problem={problems.email}
      input={isFixed ? { ...input, readonly: true } : input}
    />
  );
}

export function NameField({ value, problems }: { value: string; problems: Problems }) {
  const input = { type: "text", value, autocomplete: "name", required: true, maxlength: NAME_LENGTH_MAX };
  return <Field name="name" label="Your name" hint="As your team sees it." problem={problems.name} input={input} />;
}

export function NewPasswordField({ problems }: { problems: Problems }) {
  const bounds = { minlength: PASSWORD_LENGTH_MIN, maxlength: PASSWORD_LENGTH_MAX };
  return (
    <Field
      name="password"
      label="Choose a password"
      hint={`At least ${PASSWORD_LENGTH_MIN} characters. Several words work well.`}
      problem={problems.password}
      input={{ type: "password", autocomplete: "new-password", required: true, ...bounds }}
    />
  );
}

/** Of the authenticator app, which browsers and phones know how to fill in, or a recovery code. */
export function CodeField({ problems, isFirst = true }: { problems: Problems; isFirst?: boolean }) {
  const input = { type: "text", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false" };
  return (
    <Field
      name="code"
      label="Code"
      hint="Six digits from your authenticator app, or a recovery code."
      problem={problems.code}
      input={{ ...input, required: true, maxlength: 64, autofocus: isFirst }}
    />
  );
}

export function PasswordField({ problems }: { problems: Problems }) {
  return (
    <Field
      name="password"
      label="Password"
      problem={problems.password}
      input={{ type: "password", autocomplete: "current-password", required: true, maxlength: PASSWORD_LENGTH_MAX }}
    />
  );
}
