import type { Region } from "./monitor-values.ts";

export interface RegionPlace {
  /** A cloud region; the checker Worker runs in the data center nearest to it. */
  placement: string;
  /** The service binding under which the Worker finds the checker. */
  binding: string;
  /** Of that cloud region, degrees north and east. */
  coordinates: readonly [number, number];
}

/**
 * Where the checks of a region leave from, for the service, which looks for the binding, and for `npm run deploy`, which
 * places and binds the checkers. Without a binding, as under `npm start`, the service itself checks for the region.
 * https://developers.cloudflare.com/workers/configuration/placement/
 */
export const REGION_PLACES = {
  wnam: { placement: "aws:us-west-2", binding: "CHECKER_WNAM", coordinates: [46, -120] },
  enam: { placement: "aws:us-east-1", binding: "CHECKER_ENAM", coordinates: [39, -78] },
  sam: { placement: "aws:sa-east-1", binding: "CHECKER_SAM", coordinates: [-24, -47] },
  weur: { placement: "aws:eu-central-1", binding: "CHECKER_WEUR", coordinates: [50, 9] },
  eeur: { placement: "gcp:europe-central2", binding: "CHECKER_EEUR", coordinates: [52, 21] },
  apac: { placement: "aws:ap-southeast-1", binding: "CHECKER_APAC", coordinates: [1, 104] },
  oc: { placement: "aws:ap-southeast-2", binding: "CHECKER_OC", coordinates: [-34, 151] },
  afr: { placement: "aws:af-south-1", binding: "CHECKER_AFR", coordinates: [-34, 18] },
  me: { placement: "aws:me-central-1", binding: "CHECKER_ME", coordinates: [24, 54] },
} as const satisfies Record<Region, RegionPlace>;
