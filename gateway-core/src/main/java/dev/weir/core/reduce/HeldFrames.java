package dev.weir.core.reduce;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * The received frames that a search's results lie in; it owns one reference to each until it gives
 * them back, or hands them to the request, which then does.
 */
final class HeldFrames {
  private final List<ReplyFrame> untilMerged = new ArrayList<>();
  private final List<ReplyFrame> untilAnswered = new ArrayList<>();
  private final List<ReplyFrame> fetched = new ArrayList<>();
  private long bytes;
  private boolean closed;

  /** Holds a frame that the client's answer may be written from. */
  void hold(ReplyFrame frame) {
    hold(frame, untilAnswered);
  }

  /** Holds a frame of which nothing gets into the client's answer but copies. */
  void holdUntilMerged(ReplyFrame frame) {
    hold(frame, untilMerged);
  }

  /** Holds a frame with fetched documents, which the client's answer may be written from. */
  void holdFetched(ReplyFrame frame) {
    hold(frame, fetched);
  }

  /**
   * From now on nothing more is held: nobody reads it any more.
   *
   * @param fetching whether documents are being fetched: requests for them may still wait to be
   *     written, from frames that were there before, which stay until the release
   */
  void holdNoMore(boolean fetching) {
    closed = true;
    if (fetching) {
      release(fetched);
    } else {
      release();
    }
  }

  private void hold(ReplyFrame frame, List<ReplyFrame> among) {
    if (closed) {
      return;
    }
    frame.retain();
    among.add(frame);
    bytes += frame.bytes();
  }

  /** The sizes on the wire of all frames held so far, in bytes. */
  long bytes() {
    return bytes;
  }

  /** All results are merged: gives back the frames that nothing refers to any more. */
  void merged() {
    release(untilMerged);
  }

  /** Gives the frames back when the request ends. */
  void handTo(RequestContext context) {
    release(untilMerged);
    untilAnswered.addAll(fetched);
    fetched.clear();
    if (!untilAnswered.isEmpty()) {
      List<ReplyFrame> handed = List.copyOf(untilAnswered);
      untilAnswered.clear();
      context.onEnd(() -> handed.forEach(ReplyFrame::release));
    }
  }

  void release() {
    release(untilMerged);
    release(untilAnswered);
    release(fetched);
  }

  private static void release(List<ReplyFrame> frames) {
    List<ReplyFrame> released = List.copyOf(frames);
    frames.clear();
    released.forEach(ReplyFrame::release);
  }
}
