package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Copies the small body of a passed-through request, so that the request can be sent again after
 * its nodes were lost. Owned by the exchange's response, which calls {@link #release} at the end.
 * Confined to its event loop.
 *
 * <pre>
 *   PENDING --chunk--> COPYING --end--> COMPLETE     replayable in PENDING and COMPLETE
 *      `------------------|----end----------^
 *                         `--over the limit or the budget--> DISCARDED
 * </pre>
 */
public final class ReplayableBody {
  private enum State {
    PENDING,
    COPYING,
    COMPLETE,
    DISCARDED
  }

  private final AccountedBuffer buffer;
  private final int maxBytes;
  private @Nullable ByteBuf original;
  private State state;
  private boolean borrowedOut;

  private ReplayableBody(BodyBudget budget, int maxBytes, State state, @Nullable ByteBuf original) {
    this.buffer = new AccountedBuffer(budget);
    this.maxBytes = maxBytes;
    this.state = state;
    this.original = original;
  }

  /**
   * Creates a copy of a body that has arrived whole; retains {@code body}, which stays the
   * caller's.
   */
  public static ReplayableBody ofComplete(BodyBudget budget, ByteBuf body) {
    return new ReplayableBody(budget, 0, State.COMPLETE, body.retainedDuplicate());
  }

  /**
   * Creates a copy that fills while the body passes through.
   *
   * @param budget charged for the copy
   * @param maxBytes the limit of the copy in bytes; a longer body can't be replayed
   */
  public static ReplayableBody ofStreaming(BodyBudget budget, int maxBytes) {
    return new ReplayableBody(budget, maxBytes, State.PENDING, null);
  }

  /** Copies a chunk that passes through; the chunk stays the caller's. */
  public void add(ByteBuf piece) {
    if (state == State.DISCARDED || original != null || !piece.isReadable()) {
      return;
    }
    state = State.COPYING;
    if (!buffer.tryAppend(piece, maxBytes)) {
      release();
    }
  }

  public void end() {
    if (state != State.DISCARDED) {
      state = State.COMPLETE;
    }
  }

  /**
   * Returns whether the request can be sent again: the copy is complete, or nothing of the body has
   * arrived yet.
   */
  public boolean isReplayable() {
    return state == State.COMPLETE || isPending();
  }

  /** Returns whether nothing of the body has passed through yet. */
  public boolean isPending() {
    return state == State.PENDING;
  }

  /** Returns the whole body, owned by the caller; null when all of it is still to arrive. */
  public @Nullable ByteBuf replay() {
    if (isPending()) {
      return null;
    }
    ByteBuf body = original;
    original = null;
    borrowedOut = true;
    if (body != null) {
      return body;
    }
    return buffer.length() == 0 ? Unpooled.EMPTY_BUFFER : buffer.buffer();
  }

  /** Releases the copy; the body is not sent again. */
  public void release() {
    state = State.DISCARDED;
    ByteBuf body = original;
    original = null;
    if (body != null) {
      body.release();
    }
    if (borrowedOut) {
      buffer.leaveToGarbageCollector(); // the node's connection may still write it
    } else {
      buffer.release();
    }
  }
}
