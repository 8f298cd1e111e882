package dev.weir.http;

import dev.weir.model.MemoryRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a whole body becomes where its request goes, beside the body as its client sent it. Owned by
 * its exchange. Confined to its event loop.
 */
final class ChangedBody {
  private static final Logger LOG = LoggerFactory.getLogger(ChangedBody.class);

  /** It is changed in pieces of this size, each paid for before it is kept. */
  private static final int PIECE = 64 << 10;

  /** It is expected to become longer by this part of it, at most. */
  private static final int MARGIN = 8;

  /** No array is longer. */
  private static final int LONGEST = Integer.MAX_VALUE - 8;

  private final BodyBudget budget;
  private final ByteBufAllocator allocator;
  private @Nullable PaidArray changed;

  ChangedBody(BodyBudget budget, ByteBufAllocator allocator) {
    this.budget = budget;
    this.allocator = allocator;
  }

  /** What it became, or as it came. */
  ByteBuffer or(ByteBuffer asked) {
    return changed == null ? asked : changed.bytes();
  }

  /**
   * Becomes what another place needs.
   *
   * @param change null for nothing: it is as it came
   * @return why it can't; null when it can
   */
  @Nullable ErrorBody become(@Nullable BodyChange change, ByteBuffer asked) {
    abandon(); // whoever worked on it at another place may still read it
    if (change == null || !asked.hasRemaining()) {
      return null;
    }
    PaidArray paid = new PaidArray(budget);
    changed = paid;
    ErrorBody why = made(paid, change, asked);
    if (why != null) {
      abandon();
    }
    return why;
  }

  private @Nullable ErrorBody made(PaidArray paid, BodyChange change, ByteBuffer asked) {
    try {
      return fill(paid, change, Unpooled.wrappedBuffer(asked));
    } catch (OutOfMemoryError none) { // Netty's limit of direct memory is such a bound too
      LOG.warn("got no memory to change a body of {} bytes in", asked.remaining(), none);
      return noRoom(asked.remaining());
    }
  }

  private @Nullable ErrorBody fill(PaidArray paid, BodyChange change, ByteBuf asked) {
    int size = asked.readableBytes();
    if (!grow(paid, size + (long) size / MARGIN) && !grow(paid, size)) {
      return noRoom(size);
    }
    ByteBuf becomes = allocator.buffer(PIECE);
    try {
      while (asked.isReadable()) {
        change.take(asked.readSlice(Math.min(PIECE, asked.readableBytes())), becomes);
        if (!asked.isReadable()) {
          change.end(becomes);
        }
        int more = becomes.readableBytes() - paid.room();
        if (more > 0) {
          long wanted =
              paid.capacity() + Math.max((long) more + asked.readableBytes(), size / MARGIN);
          if (!grow(paid, wanted)) {
            return noRoom(wanted);
          }
        }
        paid.append(becomes);
        becomes.clear();
      }
      return null;
    } catch (UnchangeableBodyException why) {
      return ErrorBody.undecodable(why);
    } finally {
      becomes.release();
    }
  }

  private static boolean grow(PaidArray paid, long size) {
    return size <= LONGEST && paid.tryGrow((int) size);
  }

  private ErrorBody noRoom(long wanted) {
    MemoryRefusal refused = budget instanceof RequestBody own ? own.refusal() : null;
    return Refusals.noRoom(refused, budget, wanted);
  }

  /** It is not needed any more; somebody may still read it. */
  void abandon() {
    PaidArray held = changed;
    changed = null;
    if (held != null) {
      held.abandon();
    }
  }
}
