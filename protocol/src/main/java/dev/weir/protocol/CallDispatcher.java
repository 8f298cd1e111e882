package dev.weir.protocol;

import io.netty.channel.EventLoop;

/** Where a call is sent from: it keeps the call until that has its outcome. Confined to a loop. */
interface CallDispatcher {
  /** Where everything of this lane runs. */
  EventLoop loop();

  /** Sends a call, or fails it later. */
  void send(ActiveCall<?> call);

  /** Forgets a call that its caller no longer waits for. */
  void abandon(ActiveCall<?> call);

  /** A call's time is over. */
  void onTimeout(ActiveCall<?> call);
}
