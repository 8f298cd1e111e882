package dev.weir.rest.bulk;

import java.util.function.LongConsumer;

/**
 * Reserves memory for the items of one bulk exactly once: {@link FastBulkParser} reserves while it
 * parses; if it gives up, this class counts the remaining action lines. Used by one thread.
 */
final class BulkItemAccounting implements LongConsumer {
  private final LongConsumer memoryReserver;
  private long reservedBytes;

  /**
   * Starts without a reservation.
   *
   * @param reserver throws if the limit is reached
   */
  BulkItemAccounting(LongConsumer reserver) {
    this.memoryReserver = reserver;
  }

  @Override
  public void accept(long bytes) {
    memoryReserver.accept(bytes);
    reservedBytes += bytes;
  }

  /** Reserves memory for the rest of a body that OpenSearch's parser reads. */
  void reserveRemaining(long items) {
    long more = items * FastBulkParser.ITEM_BYTES - reservedBytes;
    if (more > 0) {
      accept(more);
    }
  }
}
