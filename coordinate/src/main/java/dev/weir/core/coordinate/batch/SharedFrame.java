package dev.weir.core.coordinate.batch;

import dev.weir.protocol.NodeLoadReport;
import dev.weir.protocol.ReplyFrame;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a frame that belongs to one call of a batch. The memory of all parts is free once
 * every one that was retained is released. Safe on any thread.
 *
 * @param frame the frame with the results of several calls
 * @param wireBytes the size of the part
 */
record SharedFrame(ReplyFrame frame, int wireBytes) implements ReplyFrame {
  @Override
  public Map<String, Set<String>> responseHeaders() {
    return frame.responseHeaders();
  }

  /** Returns the one report that the node sends with all parts. */
  @Override
  public @Nullable NodeLoadReport loadReport() {
    return frame.loadReport();
  }

  @Override
  public void retain() {
    frame.retain();
  }

  @Override
  public void release() {
    frame.release();
  }
}
