package dev.weir.http.body;

import dev.weir.http.error.BodyTransformException;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import dev.weir.model.MemoryRejection;
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
public final class TransformedBody {
  private static final Logger LOG = LoggerFactory.getLogger(TransformedBody.class);

  /** It is changed in pieces of this size, each paid for before it is kept. */
  private static final int CHUNK_SIZE = 64 << 10;

  /** It is expected to become longer by this part of it, at most. */
  private static final int GROWTH_DIVISOR = 8;

  /** No array is longer. */
  private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

  private final BodyBudget budget;
  private final ByteBufAllocator allocator;
  private @Nullable AccountedBuffer transformed;

  public TransformedBody(BodyBudget budget, ByteBufAllocator allocator) {
    this.budget = budget;
    this.allocator = allocator;
  }

  /** What it became, or as it came. */
  public ByteBuffer orOriginal(ByteBuffer asked) {
    return transformed == null ? asked : transformed.bytes();
  }

  /**
   * Becomes what another place needs.
   *
   * @param change null for nothing: it is as it came
   * @return why it can't; null when it can
   */
  public @Nullable ErrorBody transform(@Nullable BodyTransformer change, ByteBuffer asked) {
    leaveToGarbageCollector(); // another thread may still read it
    if (change == null || !asked.hasRemaining()) {
      return null;
    }
    AccountedBuffer paid = new AccountedBuffer(budget);
    transformed = paid;
    ErrorBody why = transformInto(paid, change, asked);
    if (why != null) {
      leaveToGarbageCollector();
    }
    return why;
  }

  private @Nullable ErrorBody transformInto(
      AccountedBuffer paid, BodyTransformer change, ByteBuffer asked) {
    try {
      return fill(paid, change, Unpooled.wrappedBuffer(asked));
    } catch (OutOfMemoryError none) { // Netty's limit of direct memory is such a bound too
      LOG.warn("got no memory to change a body of {} bytes in", asked.remaining(), none);
      return memoryError(asked.remaining());
    }
  }

  private @Nullable ErrorBody fill(AccountedBuffer paid, BodyTransformer change, ByteBuf asked) {
    int size = asked.readableBytes();
    if (!grow(paid, size + (long) size / GROWTH_DIVISOR) && !grow(paid, size)) {
      return memoryError(size);
    }
    ByteBuf becomes = allocator.buffer(CHUNK_SIZE);
    try {
      while (asked.isReadable()) {
        change.transform(asked.readSlice(Math.min(CHUNK_SIZE, asked.readableBytes())), becomes);
        if (!asked.isReadable()) {
          change.finish(becomes);
        }
        int more = becomes.readableBytes() - paid.writableBytes();
        if (more > 0) {
          long wanted =
              paid.capacity()
                  + Math.max((long) more + asked.readableBytes(), size / GROWTH_DIVISOR);
          if (!grow(paid, wanted)) {
            return memoryError(wanted);
          }
        }
        paid.append(becomes);
        becomes.clear();
      }
      return null;
    } catch (BodyTransformException why) {
      return ErrorBody.ofDecodingFailure(why);
    } finally {
      becomes.release();
    }
  }

  private static boolean grow(AccountedBuffer paid, long size) {
    return size <= MAX_LENGTH && paid.tryGrow((int) size);
  }

  private ErrorBody memoryError(long wanted) {
    MemoryRejection refused = budget instanceof RequestBodyBudget own ? own.refusal() : null;
    return RejectionResponses.memoryExceeded(refused, budget.used() + wanted, budget.limit());
  }

  /** It is not needed any more; somebody may still read it. */
  public void leaveToGarbageCollector() {
    AccountedBuffer held = transformed;
    transformed = null;
    if (held != null) {
      held.leaveToGarbageCollector();
    }
  }
}
