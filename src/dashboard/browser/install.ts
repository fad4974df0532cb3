/** Makes the dashboard an app that opens without a network, where the browser allows it; elsewhere nothing is missing. */
export function keepForOffline(): void {
  navigator.serviceWorker?.register("/app/service-worker.js", { scope: "/app" }).catch(() => {});
}
