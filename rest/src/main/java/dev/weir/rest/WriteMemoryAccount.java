package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
import dev.weir.model.ParsedBodyLimits;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory account of a request that may be a write. The response of an executed write must reach
 * its client: a client that gets 429 instead would write again. Therefore the reservation for the
 * items, half of which is meant for responses, also covers the nodes' responses and the response to
 * the client. Beyond it, nodes' responses are reserved as usual, and the response to the client is
 * never rejected. A read of many items may prepay its response in the same way. Safe on any thread.
 */
final class WriteMemoryAccount implements RequestMemory {
  /**
   * The bytes that a write has without a reservation: a short node response and two pages of the
   * response to the client. A small request takes them in addition to its items.
   */
  static final long FREE_BYTES = 32 << 10;

  private final RequestMemory delegate;
  private final @Nullable WriteMemoryAccount parent;
  private volatile boolean isRetryable;
  private volatile boolean markedAsWrite;
  private volatile boolean hasPrepaidResponse;

  // guarded by this
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

  /** Creates the account of a part of the write, with its own prepaid responses. */
  WriteMemoryAccount createPart() {
    WriteMemoryAccount part = new WriteMemoryAccount(delegate, this);
    part.markAsWrite();
    return part;
  }

  /** Marks the request as a write. */
  void markAsWrite() {
    markedAsWrite = true;
  }

  /**
   * Lets the reservation for the parsed body of a read cover the response to the client, up to half
   * of it: a read of many items that has its memory is not rejected at its very end.
   */
  void prepayResponse() {
    hasPrepaidResponse = true;
  }

  /** Returns true if a retry by the client may find enough memory. */
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

  /** Records a rejection that the client sees. */
  void recordRejection(MemoryRejection why) {
    if (!markedAsWrite) {
      isRetryable = !why.permanent(); // a read runs again as a whole: its last rejection counts
    } else if (!why.permanent()) {
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
        if (markedAsWrite) {
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

  private synchronized void addFreeBytes(long bytes) {
    freeBytesLeft += bytes / 2;
  }

  private boolean takePrepaid(Category item, long bytes) {
    boolean isPrepaid = markedAsWrite || (hasPrepaidResponse && item == Category.CLIENT_RESPONSE);
    return isPrepaid && takeFreeBytes(item, bytes);
  }

  private synchronized boolean takeFreeBytes(Category item, long bytes) {
    if (bytes > freeBytesLeft) {
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
    boolean mayBePrepaid = markedAsWrite || hasPrepaidResponse;
    long paid = mayBePrepaid ? bytes - returnPrepaid(item, bytes) : bytes;
    if (paid > 0) {
      delegate.release(item, paid);
    }
    if (item == Category.PARSED_BODY) {
      addFreeBytes(-bytes);
    }
  }

  /** Returns how many of the released bytes were prepaid. */
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

  /** A write does not wait: it is rejected only before any part of it was sent. */
  @Override
  public @Nullable MemoryWait memoryWait() {
    return markedAsWrite ? null : delegate.memoryWait();
  }

  @Override
  public ParsedBodyLimits parsedBodyLimits() {
    return delegate.parsedBodyLimits();
  }

  @Override
  public boolean isBounded() {
    return delegate.isBounded();
  }
}
