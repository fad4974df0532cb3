import { offerPasskeys } from "./passkeys.ts";

/** What the sign-in form gains with a script. */
offerPasskeys();
