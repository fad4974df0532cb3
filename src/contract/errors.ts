/** Every `code` that a refusal may carry, by its status. Clients tell refusals of one status apart by it. */
export const ERROR_CODES = {
  400: ["region_unavailable"],
  401: ["page_locked", "wrong_password", "totp_required", "totp_wrong", "passkey_refused"],
  403: [
    "forbidden",
    "plan_limit",
    "beta_required",
    "page_full",
    "mail_token_required",
    "network_not_allowed",
    "password_required",
    "second_factor_required",
    "email_unverified",
    "account_deactivated",
  ],
  404: ["not_found"],
  409: ["conflict", "in_use", "not_enough_history"],
  410: ["gone"],
  413: ["too_large"],
  415: ["unsupported_media_type"],
  422: ["idempotency_mismatch"],
  429: ["rate_limited"],
  500: ["internal"],
  503: ["unavailable"],
} as const;
export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES][number];

export interface ErrorDetail {
  path: string;
  message: string;
}

interface ErrorExtras {
  code?: ErrorCode;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  isRace?: boolean;
}

/** Everything that may be answered instead of success. Texts are one lower-case sentence naming the wire field. */
export class ApiError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 503;
  readonly code: ErrorCode | undefined;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** Nothing was written, only because another request wrote first: the same may succeed at once. */
  readonly isRace: boolean;

  constructor(status: ApiError["status"], message: string, extras: ErrorExtras = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = extras.code;
    this.details = extras.details;
    this.headers = extras.headers ?? {};
    this.isRace = extras.isRace ?? false;
  }
}

export const invalid = (message: string, details?: ErrorDetail[]) => new ApiError(400, message, { details });
export const regionUnavailable = (available: readonly string[]) =>
  new ApiError(400, `regions must be among those that are available: ${available.join(", ") || "none"}`, {
    code: "region_unavailable",
    details: [{ path: "regions", message: `must be among: ${available.join(", ") || "none"}` }],
  });
export const unauthenticated = (message = "the credential is missing, invalid, revoked or expired") =>
  new ApiError(401, message, { headers: { "WWW-Authenticate": "Bearer" } });
export const forbidden = (message: string) => new ApiError(403, message, { code: "forbidden" });
export const secondFactorRequired = () =>
  new ApiError(403, "an operator of this service requires a second factor: set one up first", {
    code: "second_factor_required",
  });
export const planLimit = (message: string) => new ApiError(403, message, { code: "plan_limit" });
export const betaRequired = (message: string) => new ApiError(403, message, { code: "beta_required" });
export const pageLocked = () =>
  new ApiError(401, "this status page is protected by a password", { code: "page_locked" });
export const wrongPassword = () => new ApiError(401, "password is wrong", { code: "wrong_password" });
export const notFound = (what: string) => new ApiError(404, `${what} not found`, { code: "not_found" });
/** For a repeated request whose object was deleted since. */
export const gone = (id: string) =>
  new ApiError(410, `this Idempotency-Key already made ${id}, which was deleted since`, { code: "gone" });
export const conflict = (message: string) => new ApiError(409, message, { code: "conflict" });
/** For what cannot be deleted while something else needs it; the message names what does. */
export const inUse = (message: string, details?: ErrorDetail[]) =>
  new ApiError(409, message, { code: "in_use", details });
/** For guards that another request tripped between the read and the write. */
export const raced = (message: string) => new ApiError(409, message, { code: "conflict", isRace: true });
const MEDIA_TYPES = { JSON: "application/json", "a form": "application/x-www-form-urlencoded" };
export const unsupportedMediaType = (form: keyof typeof MEDIA_TYPES = "JSON") =>
  new ApiError(415, `the body must be ${form}, sent with content-type ${MEDIA_TYPES[form]}`, {
    code: "unsupported_media_type",
  });
export const rateLimited = (seconds: number) =>
  new ApiError(429, "too many requests", { code: "rate_limited", headers: { "Retry-After": String(seconds) } });
export const unavailable = (message: string) =>
  new ApiError(503, message, { code: "unavailable", headers: { "Retry-After": "5" } });
