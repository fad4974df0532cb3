import { escapeXml } from "../../lib/escape-xml.ts";

/** What Twilio is to do: say a text, write it back, or nothing (https://www.twilio.com/docs/voice/twiml). */
export const sayTwiml = (text: string) => `<Response><Say>${escapeXml(text)}</Say></Response>`;
export const replyTwiml = (text: string) => `<Response><Message>${escapeXml(text)}</Message></Response>`;
export const SILENT_TWIML = "<Response/>";
