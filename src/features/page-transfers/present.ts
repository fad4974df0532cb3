import type { z } from "zod";
import type { PageTransfer, TransferredPage } from "../../contract/page-transfer.ts";
import type { PageTransferRecord } from "../../data/page-transfers/read.ts";
import { toIso } from "../../platform/clock.ts";
import { presentPage } from "../status-pages/present.ts";
import type { StatusPageWithUrl } from "../status-pages/service.ts";

export function presentTransfer(transfer: PageTransferRecord): z.infer<typeof PageTransfer> {
  return {
    id: transfer.id,
    status_page_id: transfer.status_page_id,
    user_id: transfer.to_user_id,
    expires_at: toIso(transfer.expires_at),
    created_at: toIso(transfer.created_at),
    updated_at: toIso(transfer.updated_at),
  };
}

export function presentTransferred(
  page: StatusPageWithUrl,
  detached_monitor_ids: string[],
): z.infer<typeof TransferredPage> {
  return Object.assign(presentPage(page), { detached_monitor_ids });
}
