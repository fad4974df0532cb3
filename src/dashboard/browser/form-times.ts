/** Buttons that set the end of a span to so long after its start; without a script the end is entered. */
export function offerDurations(): void {
  for (const row of document.querySelectorAll<HTMLElement>("[data-durations-of]")) {
    const start = document.getElementById(row.dataset.after ?? "");
    const end = document.getElementById(row.dataset.durationsOf ?? "");
    if (!(start instanceof HTMLInputElement) || !(end instanceof HTMLInputElement)) continue;
    row.hidden = false;
    row.addEventListener("click", (event) => {
      const minutes = event.target instanceof HTMLElement ? Number(event.target.dataset.minutes) : Number.NaN;
      // Both are readings of one clock, so that the zone does not matter.
      const from = Date.parse(`${start.value}Z`);
      if (Number.isNaN(minutes) || Number.isNaN(from)) return;
      end.value = new Date(from + minutes * 60_000).toISOString().slice(0, 16);
      end.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}
