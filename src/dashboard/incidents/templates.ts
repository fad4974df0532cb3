import { z } from "zod";
import { IncidentTemplate } from "../../contract/incident-template.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { readApi } from "../call-api.ts";

const LIST_MAX = 500;

export async function loadTemplates(c: AppContext, page: string): Promise<IncidentTemplate[]> {
  const path = `/api/uptime/v1/status-pages/${page}/incident-templates?limit=${LIST_MAX}`;
  return (await readApi(c, path, z.array(IncidentTemplate))).body;
}
