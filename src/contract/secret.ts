import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** What requests of a journey name as `{{secret.NAME}}`. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const VALUE_MAX = 4096;

export const SecretName = z
  .string()
  .trim()
  .regex(SECRET_NAME, "must be letters, digits, _ and -, at most 64, and not begin with a digit")
  .refine((name) => !z.uuid().safeParse(name).success, "must not be a UUID");

export const SecretCreate = z
  .object({
    name: SecretName,
    value: z.string().min(1).max(VALUE_MAX).meta({ description: "stored encrypted, and never returned" }),
  })
  .meta({ id: "SecretCreate" });
export type SecretCreate = z.infer<typeof SecretCreate>;

export const Secret = z
  .object({
    id: Id,
    name: z.string(),
    monitors: z
      .array(z.object({ id: Id, name: z.string() }))
      .meta({ description: "those that use it, at most 20, by name" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Secret", description: "a stored secret, without its value" });
