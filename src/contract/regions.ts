import type { Region } from "./monitor-values.ts";

export interface RegionPlace {
  /** A cloud region; the checker Worker runs in the data center nearest to it. */
  placement: string;
  /** The service binding under which the Worker finds the checker. */
  binding: string;
}

/**
 * Where the checks of a region leave from, for the service, which looks for the binding, and for `npm run deploy`, which
 * places and binds the checkers. Without a binding, as under `npm start`, the service itself checks for the region.
 * https://developers.cloudflare.com/workers/configuration/placement/
 */
export const REGION_PLACES = {
  wnam: { placement: "aws:us-west-2", binding: "CHECKER_WNAM" },
  enam: { placement: "aws:us-east-1", binding: "CHECKER_ENAM" },
  sam: { placement: "aws:sa-east-1", binding: "CHECKER_SAM" },
  weur: { placement: "aws:eu-central-1", binding: "CHECKER_WEUR" },
  eeur: { placement: "gcp:europe-central2", binding: "CHECKER_EEUR" },
  apac: { placement: "aws:ap-southeast-1", binding: "CHECKER_APAC" },
  oc: { placement: "aws:ap-southeast-2", binding: "CHECKER_OC" },
  afr: { placement: "aws:af-south-1", binding: "CHECKER_AFR" },
  me: { placement: "aws:me-central-1", binding: "CHECKER_ME" },
} as const satisfies Record<Region, RegionPlace>;
