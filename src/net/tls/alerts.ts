import { IoFault } from "../../lib/io-fault.ts";

/** Alerts that a client may meet in a handshake (RFC 8446, section 6). */
const NAMES: Record<number, string> = {
  0: "close_notify",
  10: "unexpected_message",
  20: "bad_record_mac",
  40: "handshake_failure",
  42: "bad_certificate",
  47: "illegal_parameter",
  50: "decode_error",
  51: "decrypt_error",
  70: "protocol_version",
  71: "insufficient_security",
  80: "internal_error",
  109: "missing_extension",
  112: "unrecognized_name",
  116: "certificate_required",
  120: "no_application_protocol",
};
const WARNING = 1;
export const CLOSE_NOTIFY = 0;

/** Up to TLS 1.2 a warning, such as one about an unknown name, leaves the handshake going on. */
export function isHarmless([level, description]: Uint8Array): boolean {
  return level === WARNING && description !== CLOSE_NOTIFY;
}

export function alertFault([, description = 0]: Uint8Array): IoFault {
  return new IoFault("tls", `the server refused the TLS handshake: ${NAMES[description] ?? `alert ${description}`}`);
}
