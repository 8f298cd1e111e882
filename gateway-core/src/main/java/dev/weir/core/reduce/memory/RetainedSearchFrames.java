package dev.weir.core.reduce.memory;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * The received frames that a search's results lie in; it owns one reference to each until it gives
 * them back, or hands them to the request, which then does.
 */
public final class RetainedSearchFrames {
  private final List<ReplyFrame> mergeFrames = new ArrayList<>();
  private final List<ReplyFrame> responseFrames = new ArrayList<>();
  private final List<ReplyFrame> fetchFrames = new ArrayList<>();
  private long totalBytes;
  private boolean closed;

  /** Holds a frame that the client's answer may be written from. */
  public void retain(ReplyFrame frame) {
    retain(frame, responseFrames);
  }

  /** Holds a frame of which nothing gets into the client's answer but copies. */
  public void retainUntilMerged(ReplyFrame frame) {
    retain(frame, mergeFrames);
  }

  /** Holds a frame with fetched documents, which the client's answer may be written from. */
  public void retainFetched(ReplyFrame frame) {
    retain(frame, fetchFrames);
  }

  /**
   * From now on nothing more is held: nobody reads it any more.
   *
   * @param fetching whether documents are being fetched: requests for them may still wait to be
   *     written, from frames that were there before, which stay until the release
   */
  public void stopRetaining(boolean fetching) {
    closed = true;
    if (fetching) {
      release(fetchFrames);
    } else {
      release();
    }
  }

  private void retain(ReplyFrame frame, List<ReplyFrame> among) {
    if (closed) {
      return;
    }
    frame.retain();
    among.add(frame);
    totalBytes += frame.wireBytes();
  }

  /** The sizes on the wire of all frames held so far, in bytes. */
  public long totalBytes() {
    return totalBytes;
  }

  /** All results are merged: gives back the frames that nothing refers to any more. */
  public void onMerged() {
    release(mergeFrames);
  }

  /** Gives the frames back when the request ends. */
  public void releaseOnEnd(RequestContext context) {
    release(mergeFrames);
    responseFrames.addAll(fetchFrames);
    fetchFrames.clear();
    if (!responseFrames.isEmpty()) {
      List<ReplyFrame> handed = List.copyOf(responseFrames);
      responseFrames.clear();
      context.onEnd(() -> handed.forEach(ReplyFrame::release));
    }
  }

  public void release() {
    release(mergeFrames);
    release(responseFrames);
    release(fetchFrames);
  }

  private static void release(List<ReplyFrame> frames) {
    List<ReplyFrame> released = List.copyOf(frames);
    frames.clear();
    released.forEach(ReplyFrame::release);
  }
}
