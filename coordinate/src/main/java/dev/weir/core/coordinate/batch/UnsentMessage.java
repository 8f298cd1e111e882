package dev.weir.core.coordinate.batch;

import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;

/** A message that still takes calls. Confined to the event loop of its request. */
interface UnsentMessage {
  /** Adds a call before the message is sent. */
  <R> PendingCall add(NodeCall<R> call, ReplyHandler<R> handler);
}
