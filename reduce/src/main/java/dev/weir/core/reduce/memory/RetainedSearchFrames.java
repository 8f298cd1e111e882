package dev.weir.core.reduce.memory;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply frames that a search's results refer to. It owns one reference to each until it
 * releases them or transfers them to the request.
 */
public final class RetainedSearchFrames {
  private final List<ReplyFrame> mergeFrames = new ArrayList<>();
  private final List<ReplyFrame> responseFrames = new ArrayList<>();
  private final List<ReplyFrame> fetchFrames = new ArrayList<>();
  private long totalBytes;
  private boolean closed;

  /** Retains a frame that the client's response may be written from. */
  public void retain(ReplyFrame frame) {
    retain(frame, responseFrames);
  }

  /** Retains a frame until the merge; the response contains only copies of it. */
  public void retainUntilMerged(ReplyFrame frame) {
    retain(frame, mergeFrames);
  }

  /** Retains a frame with fetched documents, which the client's response may be written from. */
  public void retainFetched(ReplyFrame frame) {
    retain(frame, fetchFrames);
  }

  /**
   * Stops retaining further frames, because the search has ended.
   *
   * @param fetching whether fetch requests may still wait to be written from earlier frames; those
   *     frames stay until the release
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

  /** Returns the size on the wire of all frames retained so far, in bytes. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Releases the frames that nothing refers to after the merge. */
  public void onMerged() {
    release(mergeFrames);
  }

  /** Releases the frames when the request ends. */
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
