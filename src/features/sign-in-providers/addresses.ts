import type { RequestScope } from "../../access/scope.ts";

type Service = Pick<RequestScope, "publicUrl">;

/** Where a provider sends people back to. */
export function redirectUriOf({ publicUrl }: Service, { id }: { id: string }): string {
  return `${publicUrl}/app/sign-in/with/${id}/callback`;
}

/** Where a provider says that it ended somebody's sessions. */
export function backChannelUriOf({ publicUrl }: Service, { id }: { id: string }): string {
  return `${publicUrl}/app/sign-in/with/${id}/back-channel-logout`;
}

/** Where a provider sends people to whom it signed out. */
export function signedOutUriOf({ publicUrl }: Service): string {
  return `${publicUrl}/app/sign-in?signed_out=yes`;
}
