import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { StatusPage } from "./status-page.ts";

export const PageTransferCreate = z
  .object({ user_id: Id.meta({ description: "a member of one of your status pages" }) })
  .meta({ id: "PageTransferCreate" });

export const PageTransfer = z
  .object({
    id: Id,
    status_page_id: Id,
    user_id: Id,
    expires_at: Instant,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "PageTransfer" });

export const PageTransferAccept = z
  .object({ token: z.string().trim().min(1).max(200).meta({ description: "from the mail" }) })
  .meta({ id: "PageTransferAccept" });

export const PageTransferDecline = PageTransferAccept.meta({ id: "PageTransferDecline" });

export const TransferredPage = StatusPage.extend({
  detached_monitor_ids: z.array(Id).meta({
    description: "monitors that an agent of the former owner ran; paused until they are resumed or get an agent",
  }),
}).meta({ id: "TransferredPage" });
