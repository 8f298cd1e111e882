package dev.weir.protocol;

import java.util.Map;
import java.util.Set;

/**
 * The received frame behind a reply; owned by the transport, which releases it when {@link
 * ReplyHandler#onReply} returns. Each {@link #retain} needs one {@link #release}; both are safe on
 * any thread.
 */
public interface ReplyFrame {
  /** Thread-context response headers of the node, such as Warning. */
  Map<String, Set<String>> responseHeaders();

  /** The frame's size on the wire in bytes. */
  int wireBytes();

  /** Keeps the frame's memory. */
  void retain();

  /** Gives the frame's memory back. */
  void release();
}
