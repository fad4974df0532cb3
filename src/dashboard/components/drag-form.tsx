/**
 * What the script sends when something is dropped, with where the shown parts of the lists begin; nothing to see, and
 * nothing without a script.
 */
export function DragForm({ action, at = {} }: { action: string; at?: Readonly<Record<string, number>> }) {
  return (
    <form method="post" action={action} data-drag-form hidden>
      <input type="hidden" name="dragged" value="" />
      <input type="hidden" name="onto" value="" />
      {Object.entries(at).map(([name, offset]) => (
        <input type="hidden" name={name} value={offset} />
      ))}
    </form>
  );
}
