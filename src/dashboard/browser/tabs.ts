/** Where tabs are more than fit, the open one is among those that are seen. */
export function showOpenTabs(): void {
  for (const open of document.querySelectorAll(".tabs [aria-current]")) {
    open.scrollIntoView({ behavior: "instant", block: "nearest", inline: "center" });
  }
}

/** Areas that are about one status page begin with the one that was looked at last. */
export function rememberPage(): void {
  const page = document.querySelector<HTMLElement>("[data-chosen-page]")?.dataset.chosenPage;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  if (page !== undefined) document.cookie = `vigil_page=${page}; Path=/app; SameSite=Lax; Max-Age=31536000`;
}
