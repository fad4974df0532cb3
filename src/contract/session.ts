import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { PLANS } from "./plan.ts";

export const PASSWORD_LENGTH_MIN = 10;
export const PASSWORD_LENGTH_MAX = 256;

/** Of those that everybody tries first, the ones that are long enough. */
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

/** A password as somebody chooses it. */
export const NewPassword = z
  .string()
  .min(PASSWORD_LENGTH_MIN)
  .max(PASSWORD_LENGTH_MAX)
  .refine((password) => !COMMON_PASSWORDS.includes(password.toLowerCase()), "is one of the first that anybody tries");

export const Login = z
  .object({
    email: z.string().trim().toLowerCase().max(PASSWORD_LENGTH_MAX),
    password: z.string().max(PASSWORD_LENGTH_MAX),
  })
  .meta({ id: "Login" });
export type Login = z.infer<typeof Login>;

export const PasswordChange = z
  .object({
    current_password: z
      .string()
      .max(PASSWORD_LENGTH_MAX)
      .nullish()
      .meta({ description: "required where the account has a password" }),
    new_password: NewPassword,
  })
  .meta({ id: "PasswordChange" });
export type PasswordChange = z.infer<typeof PasswordChange>;

export const PasswordResetRequest = Login.pick({ email: true }).meta({ id: "PasswordResetRequest" });
export type PasswordResetRequest = z.infer<typeof PasswordResetRequest>;

export const PasswordResetRequested = z.object({ message: z.string() }).meta({ id: "PasswordResetRequested" });

const RESET_TOKEN_LENGTH_MAX = 200;
export const PasswordReset = z
  .object({ token: z.string().max(RESET_TOKEN_LENGTH_MAX), password: NewPassword })
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
    session: z
      .object({ id: Id, created_at: Instant, expires_at: Instant })
      .nullable()
      .meta({ description: "null for requests with an API token" }),
  })
  .meta({ id: "Me" });
