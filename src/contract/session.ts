import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";
import { Confirmation, PasskeyAssertion } from "./passkey.ts";
import { PLANS } from "./plan.ts";
import { SecondFactorCode } from "./two-factor.ts";

export const PASSWORD_LENGTH_MIN = 10;
export const PASSWORD_LENGTH_MAX = 256;

/** The most common passwords of at least PASSWORD_LENGTH_MIN characters. */
const COMMON_PASSWORDS = [
  "0123456789",
  "1234567890",
  "12345678910",
  "1234567891",
  "0987654321",
  "1111111111",
  "0000000000",
  "123123123123",
  "1q2w3e4r5t",
  "1q2w3e4r5t6y",
  "1qaz2wsx3edc",
  "qwertyuiop",
  "qwerty12345",
  "qwerty123456",
  "qwertyuiop123",
  "password12",
  "password123",
  "password1234",
  "password12345",
  "passwordpassword",
  "iloveyou123",
  "administrator",
  "changeme123",
  "welcome123",
  "letmein123",
];

/** A password as a user chooses it. */
export const NewPassword = z
  .string()
  .min(PASSWORD_LENGTH_MIN)
  .max(PASSWORD_LENGTH_MAX)
  .refine((password) => !COMMON_PASSWORDS.includes(password.toLowerCase()), "is too common");

export const Login = z
  .object({
    email: z.string().trim().toLowerCase().max(PASSWORD_LENGTH_MAX),
    password: z.string().max(PASSWORD_LENGTH_MAX),
    code: SecondFactorCode.nullish().meta({
      description: "with two-factor sign-in: of the authenticator app, or a recovery code",
    }),
    passkey: PasskeyAssertion.nullish().meta({
      description: "instead of a code, for the challenge of POST /auth/passkeys/sign-in/challenge",
    }),
  })
  .meta({ id: "Login" });
export type Login = z.infer<typeof Login>;

export const PasswordChange = z
  .object({
    current_password: z
      .string()
      .max(PASSWORD_LENGTH_MAX)
      .nullish()
      .meta({ description: "required if the account has a password, unless a passkey confirms the change" }),
    passkey: Confirmation.shape.passkey,
    new_password: NewPassword,
    end_tokens: z.boolean().nullish().meta({ description: "true: your API tokens end, too" }),
  })
  .meta({ id: "PasswordChange" });
export type PasswordChange = z.infer<typeof PasswordChange>;

export const PasswordResetRequest = Login.pick({ email: true }).meta({ id: "PasswordResetRequest" });
export type PasswordResetRequest = z.infer<typeof PasswordResetRequest>;

export const PasswordResetRequested = z.object({ message: z.string() }).meta({ id: "PasswordResetRequested" });

const RESET_TOKEN_LENGTH_MAX = 200;
export const PasswordReset = z
  .object({
    token: z.string().max(RESET_TOKEN_LENGTH_MAX),
    password: NewPassword,
    end_tokens: z
      .boolean()
      .nullish()
      .meta({ description: "false: your API tokens stay, except at the first verification of the address" }),
  })
  .meta({ id: "PasswordReset" });
export type PasswordReset = z.infer<typeof PasswordReset>;

export const Me = z
  .object({
    id: Id,
    email: z.string(),
    name: z.string(),
    plan: z.enum(PLANS),
    beta: z.boolean(),
    has_password: z.boolean(),
    has_two_factor: z.boolean().meta({ description: "sign-in asks for more than the password" }),
    second_factors: z.array(z.enum(["totp", "passkey"])).meta({ description: "of which any one suffices" }),
    email_verified_at: Instant.nullable(),
    operator: z.boolean().meta({ description: "may see the installation's capacity" }),
    session: z
      .object({ id: Id, created_at: Instant, expires_at: Instant })
      .nullable()
      .meta({ description: "null for requests with an API token" }),
  })
  .meta({ id: "Me" });

export const MeChange = z.object({ name: Name.meta({ description: "as others see you" }) }).meta({ id: "MeChange" });
export type MeChange = z.infer<typeof MeChange>;

export const Session = z
  .object({
    id: Id,
    is_current: z.boolean().meta({ description: "of this request" }),
    user_agent: z.string().nullable(),
    ip: z.string().nullable().meta({ description: "at sign-in" }),
    created_at: Instant,
    last_used_at: Instant.meta({ description: "may lag by a minute" }),
    expires_at: Instant.meta({
      description: "at the latest; 7 days without use, or what the operator set, end it, too",
    }),
  })
  .meta({ id: "Session" });
