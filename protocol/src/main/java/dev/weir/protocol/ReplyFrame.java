package dev.weir.protocol;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The received frame of a reply. The transport owns it and releases it when {@link
 * ReplyHandler#onReply} returns. Each {@link #retain} needs one {@link #release}; both are safe on
 * any thread.
 */
public interface ReplyFrame {
  /**
   * Returns the node's response headers, for example Warning, without those of the resources that
   * the node used and of its load.
   */
  Map<String, Set<String>> responseHeaders();

  /** Returns the load that the node reports; null if it reports none. */
  default @Nullable NodeLoadReport loadReport() {
    return null;
  }

  /** Returns the frame's size on the wire in bytes. */
  int wireBytes();

  /** Keeps the frame's memory. */
  void retain();

  /** Releases the frame's memory. */
  void release();
}
