import type { Conversation } from "../../net/conversation.ts";

/** How a tcp monitor speaks with a server whose port is open. */
export interface Dialog {
  /** What people call such a server. */
  name: string;
  /**
   * Greets and leaves: what the server said of itself, its version as a rule. Throws an IoFault where it speaks something
   * else, or refuses.
   */
  greet(conversation: Conversation): Promise<string>;
}
