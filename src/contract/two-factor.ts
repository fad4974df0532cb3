import { z } from "zod";
import { Confirmation } from "./passkey.ts";

/** A code of an authenticator app, or a recovery code where the endpoint accepts one. */
export const SecondFactorCode = z.string().trim().min(1).max(64);

export const TotpSetup = z.object(Confirmation.shape).meta({ id: "TotpSetup" });
export type TotpSetup = z.infer<typeof TotpSetup>;

export const TotpSecret = z
  .object({
    secret: z.string().meta({ description: "base32, for typing it in" }),
    otpauth_url: z.string().meta({ description: "for a QR code" }),
  })
  .meta({ id: "TotpSecret" });

export const TotpConfirm = z
  .object({ code: SecondFactorCode.meta({ description: "of the authenticator app" }) })
  .meta({ id: "TotpConfirm" });
export type TotpConfirm = z.infer<typeof TotpConfirm>;

export const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).meta({ description: "10 codes, shown once; each works once" }) })
  .meta({ id: "RecoveryCodes" });

export const TotpDisable = z
  .object({
    ...Confirmation.shape,
    code: SecondFactorCode.nullish().meta({
      description: "of the authenticator app, or a recovery code; required beside the password",
    }),
  })
  .meta({ id: "TotpDisable" });
export type TotpDisable = z.infer<typeof TotpDisable>;
