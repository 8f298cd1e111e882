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
 * A buffered body transformed for its destination, beside the body as its client sent it. Owned by
 * its exchange. Confined to its event loop.
 */
public final class TransformedBody {
  private static final Logger LOG = LoggerFactory.getLogger(TransformedBody.class);

  /**
   * The body is transformed in chunks of this size, in bytes; each is charged before it is kept.
   */
  private static final int CHUNK_SIZE = 64 << 10;

  /** The output is expected to exceed the input by at most this fraction (one eighth). */
  private static final int GROWTH_DIVISOR = 8;

  /** The longest possible Java array. */
  private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

  private final BodyBudget budget;
  private final ByteBufAllocator allocator;
  private @Nullable AccountedBuffer transformed;

  public TransformedBody(BodyBudget budget, ByteBufAllocator allocator) {
    this.budget = budget;
    this.allocator = allocator;
  }

  /** Returns the transformed body, or {@code original} when the body was not transformed. */
  public ByteBuffer orOriginal(ByteBuffer original) {
    return transformed == null ? original : transformed.bytes();
  }

  /**
   * Transforms the body for a destination.
   *
   * @param change null when the destination takes the body unchanged
   * @return why the body can't be transformed; null on success
   */
  public @Nullable ErrorBody transform(@Nullable BodyTransformer change, ByteBuffer original) {
    leaveToGarbageCollector(); // another thread may still read it
    if (change == null || !original.hasRemaining()) {
      return null;
    }
    AccountedBuffer paid = new AccountedBuffer(budget);
    transformed = paid;
    ErrorBody error = transformInto(paid, change, original);
    if (error != null) {
      leaveToGarbageCollector();
    }
    return error;
  }

  private @Nullable ErrorBody transformInto(
      AccountedBuffer paid, BodyTransformer change, ByteBuffer original) {
    try {
      return fill(paid, change, Unpooled.wrappedBuffer(original));
    } catch (OutOfMemoryError none) { // also thrown at Netty's limit of direct memory
      LOG.warn("got no memory to transform a body of {} bytes", original.remaining(), none);
      return memoryError(original.remaining());
    }
  }

  private @Nullable ErrorBody fill(AccountedBuffer paid, BodyTransformer change, ByteBuf original) {
    int size = original.readableBytes();
    if (!grow(paid, size + (long) size / GROWTH_DIVISOR) && !grow(paid, size)) {
      return memoryError(size);
    }
    ByteBuf becomes = allocator.buffer(CHUNK_SIZE);
    try {
      while (original.isReadable()) {
        change.transform(
            original.readSlice(Math.min(CHUNK_SIZE, original.readableBytes())), becomes);
        if (!original.isReadable()) {
          change.finish(becomes);
        }
        int more = becomes.readableBytes() - paid.writableBytes();
        if (more > 0) {
          long wanted =
              paid.capacity()
                  + Math.max((long) more + original.readableBytes(), size / GROWTH_DIVISOR);
          if (!grow(paid, wanted)) {
            return memoryError(wanted);
          }
        }
        paid.append(becomes);
        becomes.clear();
      }
      return null;
    } catch (BodyTransformException error) {
      return ErrorBody.ofDecodingFailure(error);
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

  /** Drops the transformed body, which another thread may still read. */
  public void leaveToGarbageCollector() {
    AccountedBuffer held = transformed;
    transformed = null;
    if (held != null) {
      held.leaveToGarbageCollector();
    }
  }
}
