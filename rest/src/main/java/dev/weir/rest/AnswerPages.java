package dev.weir.rest;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Item;
import dev.weir.protocol.RequestFrames;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.common.util.PaidArrays;

/**
 * Pays out of a request's memory for the recycled pages that its answer is written into, until they
 * are given back because the client has taken it. Refuses with CircuitBreakingException, a 429; but
 * for a write, whose answer is always paid for ({@link WriteMemory}). Safe on any thread.
 */
final class AnswerPages implements PaidArrays.Payer {
  private final RequestMemory memory;

  /** Bytes that were taken although they were refused, to be given back elsewhere. */
  private long unpaid;

  private AnswerPages(RequestMemory memory) {
    this.memory = memory;
  }

  /** The pages of one request's answer. */
  static BigArrays paidBy(RequestMemory memory, PageCacheRecycler pages) {
    return new PaidArrays(pages, new AnswerPages(memory));
  }

  @Override
  public void take(long bytes) {
    MemoryRefusal refused = memory.take(Item.OUTPUT, bytes);
    if (refused != null) {
      throw RequestFrames.exception(refused);
    }
  }

  @Override
  public synchronized void took(long bytes) {
    MemoryRefusal refused = memory.take(Item.OUTPUT, bytes);
    if (refused != null) {
      unpaid += bytes;
      throw RequestFrames.exception(refused);
    }
  }

  @Override
  public synchronized void giveBack(long bytes) {
    long owed = Math.min(unpaid, bytes);
    unpaid -= owed;
    if (bytes > owed) {
      memory.giveBack(Item.OUTPUT, bytes - owed);
    }
  }
}
