/** Of the answer of `/health`: the platform's id of the version that answered. */
export const WORKER_VERSION_HEADER = "X-Worker-Version";
