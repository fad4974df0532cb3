/** The initials of a person, beside the name. */
export function Avatar({ name }: { name: string }) {
  return (
    <span class="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** The first letters of the first and the last name. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase();
}
