package dev.weir.protocol;

import io.netty.channel.EventLoop;

/** Sends calls and keeps them until they complete. Confined to an event loop. */
interface CallDispatcher {
  /** Returns the event loop of this dispatcher. */
  EventLoop loop();

  /** Sends a call, or fails it later. */
  void send(ActiveCall<?> call);

  /** Removes a call that its caller abandoned. */
  void abandon(ActiveCall<?> call);

  /** Handles the timeout of a call. */
  void onTimeout(ActiveCall<?> call);
}
