package dev.weir.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that passes through, kept while it is small, so that it can be sent once
 * more where the nodes that it went to are gone. Owned by its exchange's answer, which calls {@link
 * #free} in the end. Confined to its event loop.
 *
 * <pre>
 *   ahead --piece--> begun --end--> whole     ahead and whole can be sent once more
 *     `---------------|----end-------^
 *                     `--too much, or no room--> lost
 * </pre>
 */
final class KeptBody {
  private enum State {
    AHEAD,
    BEGUN,
    WHOLE,
    LOST
  }

  private final PaidArray copied;
  private final int most;
  private @Nullable ByteBuf given;
  private State state;
  private boolean lent;

  private KeptBody(BodyBudget budget, int most, State state, @Nullable ByteBuf given) {
    this.copied = new PaidArray(budget);
    this.most = most;
    this.state = state;
    this.given = given;
  }

  /** One that is at hand; borrowed. */
  static KeptBody whole(BodyBudget budget, ByteBuf body) {
    return new KeptBody(budget, 0, State.WHOLE, body.retainedDuplicate());
  }

  /**
   * One that follows, and is copied while it passes.
   *
   * @param budget what copies are paid out of
   * @param most bytes of which one is kept
   */
  static KeptBody ahead(BodyBudget budget, int most) {
    return new KeptBody(budget, most, State.AHEAD, null);
  }

  /** A piece passes; borrowed. */
  void add(ByteBuf piece) {
    if (state == State.LOST || !piece.isReadable()) {
      return;
    }
    state = State.BEGUN;
    if (!copied.tryAppend(piece, most)) {
      free();
    }
  }

  /** The last piece has passed. */
  void end() {
    if (state != State.LOST) {
      state = State.WHOLE;
    }
  }

  /** Whether it can be sent once more. */
  boolean sendable() {
    return state == State.WHOLE || follows();
  }

  /** Whether nothing of it has come yet. */
  boolean follows() {
    return state == State.AHEAD;
  }

  /** All of it, for its owner to send; null when it follows. */
  @Nullable ByteBuf again() {
    if (follows()) {
      return null;
    }
    ByteBuf body = given;
    given = null;
    lent = true;
    if (body != null) {
      return body;
    }
    return copied.length() == 0 ? Unpooled.EMPTY_BUFFER : copied.buffer();
  }

  /** It is not sent any more. */
  void free() {
    state = State.LOST;
    ByteBuf body = given;
    given = null;
    if (body != null) {
      body.release();
    }
    if (lent) {
      copied.abandon(); // a node may still be sent it
    } else {
      copied.free();
    }
  }
}
