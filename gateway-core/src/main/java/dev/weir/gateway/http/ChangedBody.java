package dev.weir.gateway.http;

import dev.weir.model.MemoryRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a whole body becomes where its request goes, beside the body as its client sent it. Owned by
 * its exchange. Confined to its event loop.
 */
final class ChangedBody {
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
    ByteBuf becomes = allocator.buffer(asked.remaining());
    try {
      change.take(Unpooled.wrappedBuffer(asked), becomes);
      change.end(becomes);
      PaidArray paid = new PaidArray(budget);
      if (!paid.tryGrow(becomes.readableBytes())) {
        MemoryRefusal refused = budget instanceof RequestBody own ? own.refusal() : null;
        return Refusals.noRoom(refused, budget, becomes.readableBytes());
      }
      paid.append(becomes);
      changed = paid;
      return null;
    } catch (UnchangeableBodyException why) {
      return ErrorBody.undecodable(why);
    } finally {
      becomes.release();
    }
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
