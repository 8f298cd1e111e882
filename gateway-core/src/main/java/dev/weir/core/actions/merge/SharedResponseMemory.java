package dev.weir.core.actions.merge;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the response to a call for several requests. Each request reserves the expected
 * size of its part until the call ends. Excess bytes are charged in equal shares to all requests
 * that can pay, because without the response the outcome would be unknown. Safe on any thread.
 */
final class SharedResponseMemory implements RequestMemory {
  /** The bytes reserved for a part: some failures with the stack traces that nodes send. */
  static final long RESERVED_PART_BYTES = 8 << 10;

  /** The bytes reserved for an item. */
  static final long RESERVED_ITEM_BYTES = 200;

  private final List<Payer> payers = new ArrayList<>();
  private long reservedBytes;
  private long usedBytes;

  /** The share of one request. */
  private static final class Payer {
    final MergeablePart part;
    long bytes;

    Payer(MergeablePart part) {
      this.part = part;
    }

    @Nullable MemoryRejection reserve(long more, Supplier<List<String>> growth) {
      MemoryRejection refusal =
          part.context().resources().memory().reserve(Category.NODE_RESPONSES, more, growth);
      if (refusal == null) {
        bytes += more;
      }
      return refusal;
    }

    void release(long less) {
      bytes -= less;
      part.context().resources().memory().release(Category.NODE_RESPONSES, less);
    }
  }

  /** Reserves memory for a part; returns false if its request lacks memory. */
  synchronized boolean tryReserve(MergeablePart part) {
    Payer payer = new Payer(part);
    long ahead = RESERVED_PART_BYTES + RESERVED_ITEM_BYTES * part.items().length;
    if (payer.reserve(ahead, List::of) != null) {
      return false;
    }
    payers.add(payer);
    reservedBytes += ahead;
    return true;
  }

  @Override
  public synchronized @Nullable MemoryRejection reserve(
      Category item, long bytes, Supplier<List<String>> growth) {
    long beyond = usedBytes + bytes - reservedBytes;
    if (beyond > 0) {
      MemoryRejection refusal = reserveMore(beyond, growth);
      if (refusal != null) {
        return refusal;
      }
    }
    usedBytes += bytes;
    return null;
  }

  private @Nullable MemoryRejection reserveMore(long beyond, Supplier<List<String>> growth) {
    List<Payer> present = payers.stream().filter(payer -> !payer.part.isFinished()).toList();
    List<Payer> paying = present.isEmpty() ? List.copyOf(payers) : present;
    while (!paying.isEmpty()) {
      long share = (beyond + paying.size() - 1) / paying.size();
      List<Payer> able = new ArrayList<>(paying.size());
      MemoryRejection refusal = null;
      for (Payer payer : paying) {
        MemoryRejection refused = payer.reserve(share, growth);
        if (refused == null) {
          able.add(payer);
        } else {
          refusal = refused;
        }
      }
      if (refusal == null) {
        reservedBytes += share * paying.size();
        return null;
      }
      able.forEach(payer -> payer.release(share));
      if (able.isEmpty()) {
        return refusal;
      }
      paying = able;
    }
    return null; // the call has ended and its response is dropped
  }

  @Override
  public void forceReserve(Category item, long bytes) {
    throw new UnsupportedOperationException(
        "got memory category " + item + " (expected: node responses)");
  }

  @Override
  public synchronized void release(Category item, long bytes) {
    usedBytes -= bytes;
  }

  @Override
  public synchronized boolean isBounded() {
    return payers.stream().anyMatch(payer -> payer.part.context().resources().memory().isBounded());
  }

  /** Releases the memory of each request at the end of the call. */
  synchronized void close() {
    payers.forEach(payer -> payer.release(payer.bytes));
    payers.clear();
  }
}
