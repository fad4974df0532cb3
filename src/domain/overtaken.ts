/**
 * People read messages in the order in which they arrive, and a pager opens and closes an alert by its key. A message that
 * waited, for a budget or for a receiver that was out of reach, may say what is over, and an end may arrive where its
 * beginning never did. Neither is sent.
 */

/** What a delivery to the same receiver about the same thing came to. */
export interface EarlierMessage {
  id: string;
  kind: "begin" | "end";
  /** Epoch ms at which it was routed. */
  routed_at: number;
  /** `told`: received, or on its way. `waiting`: it may still be sent. `untold`: it will never be. */
  state: "told" | "waiting" | "untold";
}

export interface JudgedMessage {
  id: string;
  kind: "begin" | "end";
  routed_at: number;
  /** It goes out so long after it was routed that it may be untrue. */
  is_late: boolean;
  /** What it begins has ended. */
  is_over: boolean;
  /** The messages that began what it ends, as far as they are known. */
  began_by: readonly string[];
  /** The receiver distinguishes messages by the outage, so that their order does not matter. */
  is_keyed: boolean;
}

export interface Judgement {
  is_overtaken: boolean;
  /** Beginnings that still wait, of which nobody may read once their end was decided. */
  dropped: string[];
}

export function judgeMessage(message: JudgedMessage, earlier: readonly EarlierMessage[]): Judgement {
  const others = earlier.filter(({ id }) => id !== message.id);
  const isContradicted =
    !message.is_keyed && others.some(({ state, routed_at }) => state === "told" && routed_at > message.routed_at);
  if (message.kind === "begin") {
    const isUntrue = message.is_late && (message.is_over || isContradicted);
    // A receiver that does not get the end does not get the beginning either.
    const isEndUntold = others.some((each) => {
      return each.kind === "end" && each.state === "untold" && each.routed_at > message.routed_at;
    });
    return { is_overtaken: isUntrue || isEndUntold, dropped: [] };
  }
  const began = beginningsOf(message, others);
  const isTold = began.length === 0 || began.some(({ state }) => state === "told");
  const dropped = began.filter(({ state }) => state === "waiting").map(({ id }) => id);
  return { is_overtaken: !isTold || isContradicted, dropped };
}

/** What the receiver could have read of it: from its own beginning on, else from the end before it. */
function beginningsOf({ began_by, routed_at }: JudgedMessage, others: readonly EarlierMessage[]): EarlierMessage[] {
  const before = others.filter((each) => each.routed_at <= routed_at);
  const own = before.filter(({ id, kind }) => kind === "begin" && began_by.includes(id));
  const ends = before.filter(({ kind }) => kind === "end").map((each) => each.routed_at);
  const since = own.length > 0 ? Math.min(...own.map((each) => each.routed_at)) : Math.max(0, ...ends);
  return before.filter(({ kind, ...each }) => kind === "begin" && each.routed_at >= since);
}
