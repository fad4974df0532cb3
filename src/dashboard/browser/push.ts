/** The runtime answers a ping without waking anything, so that a dead connection is noticed. */
const PING_MS = 15_000;
const PONG_MS = 3000;
const RETRY_MS = 1000;
const RETRY_MAX_MS = 60_000;
/** This person has newer views than may be connected: the view asks by itself until it is looked at again. */
const REPLACED = 4409;

export interface Push {
  /** Whether every change is announced; else the view has to ask. */
  isOpen(): boolean;
  /** Connects anew: what is open may have died unnoticed. */
  renew(): void;
  stop(): void;
}

interface Hearer {
  /** Something happened, or may have happened while no change was announced. */
  changed(): void;
  /** Nothing happened up to now. */
  current(): void;
  /** From now on no change is announced. */
  cut(): void;
}

/**
 * Receives changes at these addresses, at all of them or at none. Connects again after a growing while, each view after
 * another, so that all views do not come at once after a deployment. A hidden document is not connected.
 */
export function openPush(addresses: readonly string[], hearer: Hearer): Push {
  let sockets: WebSocket[] = [];
  let failures = 0;
  let isStopped = addresses.length === 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unanswered = new Set<WebSocket>();
  let isOpen = false;

  const drop = () => {
    clearTimeout(timer);
    isOpen = false;
    const former = sockets;
    sockets = [];
    unanswered.clear();
    for (const socket of former) socket.close();
  };
  const retry = () => {
    const delay = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(connect, delay * (0.5 + Math.random()));
  };
  const lose = () => {
    const wasOpen = isOpen;
    drop();
    retry();
    if (wasOpen) hearer.cut();
  };
  const connect = () => {
    if (isStopped || document.hidden || sockets.length > 0) return;
    clearTimeout(timer);
    sockets = addresses.map((address) => listen(new WebSocket(new URL(address, location.href.replace(/^http/, "ws")))));
  };
  const listen = (socket: WebSocket) => {
    socket.addEventListener("open", () => {
      isOpen = sockets.every(({ readyState }) => readyState === WebSocket.OPEN);
      if (!isOpen) return;
      failures = 0;
      hearer.changed();
    });
    socket.addEventListener("message", ({ data }) => {
      unanswered.delete(socket);
      if (data === "pong") hearer.current();
      else hearer.changed();
    });
    socket.addEventListener("close", ({ code }) => {
      if (!sockets.includes(socket)) return;
      lose();
      if (code === REPLACED) clearTimeout(timer);
    });
    return socket;
  };

  setInterval(() => {
    if (sockets.length === 0) return;
    if (!isOpen) return lose();
    for (const socket of sockets) {
      unanswered.add(socket);
      socket.send("ping");
    }
    setTimeout(() => {
      if (unanswered.size > 0) lose();
    }, PONG_MS);
  }, PING_MS);
  const connectAtOnce = () => {
    failures = 0;
    connect();
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? drop() : connectAtOnce()));
  addEventListener("online", connectAtOnce);
  addEventListener("offline", lose);
  connect();
  return {
    isOpen: () => isOpen,
    renew: () => {
      drop();
      connectAtOnce();
    },
    stop: () => {
      isStopped = true;
      drop();
    },
  };
}
