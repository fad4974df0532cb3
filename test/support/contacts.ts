import { newId } from "../../src/platform/ids.ts";
import { V1 } from "./client.ts";
import type { Account } from "./factories.ts";
import { mailsTo } from "./mail.ts";

/** A contact by mail with the code that it received. */
export async function createContact(account: Account) {
  const value = `contact-${newId()}@example.com`;
  const { body } = await account.client.post(`${V1}/notify-contacts`, { type: "email", value, label: "Night" });
  const [mail] = await mailsTo(value);
  const [, code = ""] = /Code: (\d{8})/.exec(mail?.text ?? "") ?? [];
  return { id: body.id as string, value, code };
}
