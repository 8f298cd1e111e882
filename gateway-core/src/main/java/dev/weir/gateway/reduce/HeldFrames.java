package dev.weir.gateway.reduce;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * The received frames that a search's results lie in; it owns one reference to each until it gives
 * them back, or hands them to the request, which then does.
 */
final class HeldFrames {
  private final List<ReplyFrame> frames = new ArrayList<>();
  private long bytes;

  void hold(ReplyFrame frame) {
    frame.retain();
    frames.add(frame);
    bytes += frame.bytes();
  }

  /** The sizes on the wire of all frames held so far, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Gives the frames back when the request ends. */
  void handTo(RequestContext context) {
    List<ReplyFrame> handed = List.copyOf(frames);
    frames.clear();
    context.onEnd(() -> handed.forEach(ReplyFrame::release));
  }

  void release() {
    List<ReplyFrame> released = List.copyOf(frames);
    frames.clear();
    released.forEach(ReplyFrame::release);
  }
}
