type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Chooses the form of a language for a number, and puts the number in for `{n}`. */
export function pluralizer(locale: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(locale);
  return (n, forms) => (forms[rules.select(n)] ?? forms.other).replace("{n}", String(n));
}
