interface Movable {
  id: string;
  parent_monitor_id: string | null;
}

export interface MigrationPlan {
  /** Everything that moves, once each. */
  moved: string[];
  /** Members that move without their composite, and are none of its any more. */
  detached: string[];
}

/** Who moves to another page: composites bring their members, a member alone leaves its composite. */
export function planMigration(chosen: readonly Movable[], members: readonly Movable[]): MigrationPlan {
  const all = new Map([...chosen, ...members].map((monitor) => [monitor.id, monitor]));
  const isOrphan = ({ parent_monitor_id }: Movable) => parent_monitor_id !== null && !all.has(parent_monitor_id);
  return { moved: [...all.keys()], detached: [...all.values()].filter(isOrphan).map(({ id }) => id) };
}
