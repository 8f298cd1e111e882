package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a request that may be a write. What a write was answered must reach its client: who
 * is told 429 instead does it again. So nodes' answers and the answer to the client are paid for
 * ahead by what was paid for the items, half of which is meant for that; beyond it nodes' answers
 * are asked for as usual, and the answer to the client, which is made of them, is never refused.
 * Safe on any thread.
 */
final class WriteMemoryAccount implements RequestMemory {
  /**
   * What a write has without paying for it, in bytes: a short answer of a node, and two pages of
   * the answer to the client. It is a part of what a small request takes beside its items.
   */
  static final long FREE_BYTES = 32 << 10;

  private final RequestMemory delegate;
  private final @Nullable WriteMemoryAccount parent;
  private volatile boolean isRetryable;
  private boolean markedAsWrite;
  private long freeBytesLeft = FREE_BYTES;
  private long prepaidAnswerBytes;
  private long prepaidOutputBytes;

  WriteMemoryAccount(RequestMemory all) {
    this(all, null);
  }

  private WriteMemoryAccount(RequestMemory all, @Nullable WriteMemoryAccount whole) {
    this.delegate = all;
    this.parent = whole;
  }

  /** The memory of a part of the write, which pays ahead for its own answers. */
  WriteMemoryAccount createPart() {
    WriteMemoryAccount part = new WriteMemoryAccount(delegate, this);
    part.markAsWrite();
    return part;
  }

  /** From now on it is one. */
  synchronized void markAsWrite() {
    markedAsWrite = true;
  }

  /** Whether there may be room for what was refused when the client comes again. */
  boolean isRetryable() {
    return isRetryable;
  }

  @Override
  public @Nullable MemoryRejection reserve(
      Category item, long bytes, Supplier<List<String>> growth) {
    MemoryRejection refused = takeOrReject(item, bytes, growth);
    if (refused != null) {
      recordRejection(refused);
    }
    return refused;
  }

  /** The client learned of a rejection. */
  void recordRejection(MemoryRejection why) {
    if (!why.permanent()) {
      isRetryable = true;
    }
    if (parent != null) {
      parent.recordRejection(why);
    }
  }

  @Override
  public @Nullable MemoryRejection tryReserve(Category item, long bytes) {
    MemoryRejection refused = delegate.tryReserve(item, bytes);
    if (refused == null && item == Category.PARSED_BODY) {
      addFreeBytes(bytes);
    }
    return refused;
  }

  private @Nullable MemoryRejection takeOrReject(
      Category item, long bytes, Supplier<List<String>> growth) {
    switch (item) {
      case NODE_RESPONSES -> {
        if (takePrepaid(item, bytes)) {
          return null;
        }
      }
      case CLIENT_RESPONSE -> {
        if (takePrepaid(item, bytes)) {
          return null;
        }
        if (isWrite()) {
          delegate.forceReserve(item, bytes);
          return null;
        }
      }
      case PARSED_BODY -> {
        MemoryRejection refused = delegate.reserve(item, bytes, growth);
        if (refused == null) {
          addFreeBytes(bytes);
        }
        return refused;
      }
      case BODY, DECODED_RESPONSES, REDUCTION -> {}
    }
    return delegate.reserve(item, bytes, growth);
  }

  private synchronized boolean isWrite() {
    return markedAsWrite;
  }

  private synchronized void addFreeBytes(long bytes) {
    freeBytesLeft += bytes / 2;
  }

  private synchronized boolean takePrepaid(Category item, long bytes) {
    if (!markedAsWrite || bytes > freeBytesLeft) {
      return false;
    }
    freeBytesLeft -= bytes;
    if (item == Category.CLIENT_RESPONSE) {
      prepaidOutputBytes += bytes;
    } else {
      prepaidAnswerBytes += bytes;
    }
    return true;
  }

  @Override
  public void forceReserve(Category item, long bytes) {
    delegate.forceReserve(item, bytes);
    if (item == Category.PARSED_BODY) {
      addFreeBytes(bytes);
    }
  }

  @Override
  public void release(Category item, long bytes) {
    long paid = bytes - returnPrepaid(item, bytes);
    if (paid > 0) {
      delegate.release(item, paid);
    }
    if (item == Category.PARSED_BODY) {
      addFreeBytes(-bytes);
    }
  }

  /** How much of what is given back was paid for ahead. */
  private synchronized long returnPrepaid(Category item, long bytes) {
    long ahead = 0;
    if (item == Category.CLIENT_RESPONSE) {
      ahead = Math.min(bytes, prepaidOutputBytes);
      prepaidOutputBytes -= ahead;
    } else if (item == Category.NODE_RESPONSES) {
      ahead = Math.min(bytes, prepaidAnswerBytes);
      prepaidAnswerBytes -= ahead;
    }
    freeBytesLeft += ahead;
    return ahead;
  }

  @Override
  public boolean isBounded() {
    return delegate.isBounded();
  }
}
