import type { z } from "zod";
import type { Me } from "../../contract/session.ts";
import type { FormField } from "../form-fields.ts";

type Person = z.output<typeof Me>;

/** What a change of the account asks for: the password, or a passkey where there is one. */
export function confirmationFields({ second_factors }: Person, name = "password"): FormField[] {
  const hasPasskey = second_factors.includes("passkey");
  const label = name === "password" ? "Password" : "Current password";
  const password = { kind: "password", name, label, required: !hasPasskey } as const;
  return hasPasskey ? [password, { kind: "passkey", name: "passkey", label: "Use a passkey instead" }] : [password];
}

/** The second factor beside the password, which a passkey makes needless. */
export function codeField({ second_factors }: Person): FormField {
  const hasApp = second_factors.includes("totp");
  const hint = hasApp ? "of the app, or a recovery code" : "a recovery code";
  return { kind: "text", name: "code", label: "Code", hint, required: !second_factors.includes("passkey") };
}
