package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that passes through, kept while it is small, so that it can be sent once
 * more where the nodes that it went to are gone. Owned by its exchange's answer, which calls {@link
 * #release} in the end. Confined to its event loop.
 *
 * <pre>
 *   ahead --piece--> begun --end--> whole     ahead and whole can be sent once more
 *     `---------------|----end-------^
 *                     `--too much, or no room--> lost
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

  private ReplayableBody(BodyBudget budget, int most, State state, @Nullable ByteBuf given) {
    this.buffer = new AccountedBuffer(budget);
    this.maxBytes = most;
    this.state = state;
    this.original = given;
  }

  /** One that is at hand; borrowed. */
  public static ReplayableBody ofComplete(BodyBudget budget, ByteBuf body) {
    return new ReplayableBody(budget, 0, State.COMPLETE, body.retainedDuplicate());
  }

  /**
   * One that follows, and is copied while it passes.
   *
   * @param budget what copies are paid out of
   * @param most bytes of which one is kept
   */
  public static ReplayableBody ofStreaming(BodyBudget budget, int most) {
    return new ReplayableBody(budget, most, State.PENDING, null);
  }

  /** A piece passes; borrowed. */
  public void add(ByteBuf piece) {
    if (state == State.DISCARDED || !piece.isReadable()) {
      return;
    }
    state = State.COPYING;
    if (!buffer.tryAppend(piece, maxBytes)) {
      release();
    }
  }

  /** The last piece has passed. */
  public void end() {
    if (state != State.DISCARDED) {
      state = State.COMPLETE;
    }
  }

  /** Whether it can be sent once more. */
  public boolean isReplayable() {
    return state == State.COMPLETE || isPending();
  }

  /** Whether nothing of it has come yet. */
  boolean isPending() {
    return state == State.PENDING;
  }

  /** All of it, for its owner to send; null when it follows. */
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

  /** It is not sent any more. */
  public void release() {
    state = State.DISCARDED;
    ByteBuf body = original;
    original = null;
    if (body != null) {
      body.release();
    }
    if (borrowedOut) {
      buffer.leaveToGarbageCollector(); // a node may still be sent it
    } else {
      buffer.release();
    }
  }
}
