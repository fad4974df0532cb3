/** Shows the fields of the chosen type and rhythm; the others stay, disabled, so that nothing typed is lost. */
export function showFieldsOfType(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-typed]");
  const choice = form?.querySelector<HTMLSelectElement>('select[name="type"]');
  if (!form || !choice) return;
  const rhythm = form.querySelector<HTMLSelectElement>('select[name="rhythm"]');
  const show = () => {
    for (const group of form.querySelectorAll<HTMLFieldSetElement>("fieldset:is([data-types], [data-rhythms])")) {
      const { types = choice.value, rhythms } = group.dataset;
      const isOfRhythm = !rhythms || !rhythm || rhythm.matches(":disabled") || has(rhythms, rhythm.value);
      group.hidden = group.disabled = !has(types, choice.value) || !isOfRhythm;
    }
  };
  choice.addEventListener("change", show);
  rhythm?.addEventListener("change", show);
  // The browser may have kept another choice from before a reload.
  show();
}

const has = (words: string, word: string) => words.split(" ").includes(word);

/** Choices within a status page are offered while it is the one that is chosen. */
export function offerWithinPage(): void {
  const page = document.querySelector<HTMLSelectElement>('form select[name="status_page_id"]');
  const offered = [...(page?.form?.querySelectorAll<HTMLOptionElement>("option[data-within]") ?? [])];
  if (!page || offered.length === 0) return;
  const show = () => {
    for (const option of offered) {
      option.hidden = option.disabled = option.dataset.within !== page.value;
      if (option.disabled) option.selected = false;
    }
  };
  page.addEventListener("change", show);
  show();
}
