/** What the script sends when something is dropped; nothing to see, and nothing without a script. */
export function DragForm({ action }: { action: string }) {
  return (
    <form method="post" action={action} data-drag-form hidden>
      <input type="hidden" name="dragged" value="" />
      <input type="hidden" name="onto" value="" />
    </form>
  );
}
