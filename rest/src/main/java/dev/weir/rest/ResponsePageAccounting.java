package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import org.opensearch.common.util.AccountedBigArrays;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;

/**
 * Pays out of a request's memory for the recycled pages that its answer is written into, until they
 * are given back because the client has taken it. Refuses with CircuitBreakingException, a 429; but
 * for a write, whose answer is always paid for ({@link WriteMemoryAccount}). Safe on any thread.
 */
final class ResponsePageAccounting implements AccountedBigArrays.MemoryAccount {
  private final RequestMemory memory;

  /** Bytes that were taken although they were refused, to be given back elsewhere. */
  private long unaccountedBytes;

  private ResponsePageAccounting(RequestMemory memory) {
    this.memory = memory;
  }

  /** The pages of one request's answer. */
  static BigArrays accountedTo(RequestMemory memory, PageCacheRecycler pages) {
    return new AccountedBigArrays(pages, new ResponsePageAccounting(memory));
  }

  @Override
  public void reserve(long bytes) {
    MemoryRejection refused = memory.reserve(Category.CLIENT_RESPONSE, bytes);
    if (refused != null) {
      throw RequestFrameBudget.exception(refused);
    }
  }

  @Override
  public synchronized void onAllocated(long bytes) {
    MemoryRejection refused = memory.reserve(Category.CLIENT_RESPONSE, bytes);
    if (refused != null) {
      unaccountedBytes += bytes;
      throw RequestFrameBudget.exception(refused);
    }
  }

  @Override
  public synchronized void release(long bytes) {
    long owed = Math.min(unaccountedBytes, bytes);
    unaccountedBytes -= owed;
    if (bytes > owed) {
      memory.release(Category.CLIENT_RESPONSE, bytes - owed);
    }
  }
}
