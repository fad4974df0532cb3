/** Shows the fields of the chosen provider, which lie in a template; what was typed under the same name stays. */
export function showFieldsOfProvider(): void {
  const place = document.querySelector<HTMLElement>("[data-provider-fields]");
  const choice = place?.closest("form")?.querySelector<HTMLSelectElement>('select[name="provider"]');
  if (!place || !choice) return;
  choice.addEventListener("change", () => show(place, choice.value));
}

function show(place: HTMLElement, provider: string): void {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-provider="${CSS.escape(provider)}"]`);
  if (!template) return;
  const typed = new Map([...controlsIn(place)].map((control) => [control.name, control.value]));
  place.replaceChildren(document.importNode(template.content, true));
  for (const control of controlsIn(place)) {
    const value = typed.get(control.name);
    if (value) control.value = value;
  }
}

function controlsIn(place: HTMLElement): NodeListOf<HTMLInputElement | HTMLTextAreaElement> {
  return place.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
}
