import type { z } from "zod";
import type { Me } from "../../contract/session.ts";
import type { FormField } from "../form-fields.ts";
import { words } from "../words.ts";

type Person = z.output<typeof Me>;

/** What a change of the account asks for: the password, or a passkey where there is one. */
export function confirmationFields({ second_factors }: Person, name = "password"): FormField[] {
  const text = words("dashboard-account").confirmation;
  const hasPasskey = second_factors.includes("passkey");
  const label = name === "password" ? text.password : text.current;
  const password = { kind: "password", name, label, required: !hasPasskey } as const;
  return hasPasskey ? [password, { kind: "passkey", name: "passkey", label: text.passkey }] : [password];
}

/** The second factor beside the password, which a passkey makes needless. */
export function codeField({ second_factors }: Person): FormField {
  const text = words("dashboard-account").confirmation;
  const hasApp = second_factors.includes("totp");
  const hint = hasApp ? text.of_app : text.of_recovery;
  return { kind: "text", name: "code", label: text.code, hint, required: !second_factors.includes("passkey") };
}
