/** Where tabs are more than fit, the open one is among those that are seen. */
export function showOpenTabs(): void {
  for (const open of document.querySelectorAll(".tabs [aria-current]")) {
    open.scrollIntoView({ behavior: "instant", block: "nearest", inline: "center" });
  }
}
