package dev.weir.http.body;

import io.netty.buffer.ByteBuf;

/** The beginning of a body, up to a limit and charged to a budget. Confined to its event loop. */
public final class GatheringBuffer {
  private final AccountedBuffer buffer;
  private final int maxBytes;

  /**
   * Creates an empty buffer.
   *
   * @param maxBytes the limit of the gathered bytes
   */
  public GatheringBuffer(BodyBudget budget, int maxBytes) {
    this.buffer = new AccountedBuffer(budget);
    this.maxBytes = maxBytes;
  }

  /**
   * Appends a chunk, which stays the caller's.
   *
   * @return false, without a change, when the limit or the budget would be exceeded
   */
  public boolean tryAppend(ByteBuf piece) {
    return buffer.tryAppend(piece, maxBytes);
  }

  /** Returns the number of gathered bytes. */
  public int length() {
    return buffer.length();
  }

  /** Returns a view of the bytes, which shares their memory. */
  public ByteBuf bytes() {
    return buffer.buffer();
  }

  /** Returns the memory to the budget; views of the bytes stay valid. */
  public void release() {
    buffer.leaveToGarbageCollector();
  }
}
