package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import org.opensearch.common.util.AccountedBigArrays;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;

/**
 * Reserves a request's memory for the recycled pages of its response, until the client has received
 * them. Rejects with CircuitBreakingException, a 429. The response to a write is never rejected
 * ({@link WriteMemoryAccount}). Safe on any thread.
 */
final class ResponsePageAccounting implements AccountedBigArrays.MemoryAccount {
  private final RequestMemory memory;

  /** The bytes of rejected pages that were used anyway; their release must not count. */
  private long unaccountedBytes;

  private ResponsePageAccounting(RequestMemory memory) {
    this.memory = memory;
  }

  /** Returns the pages of one request's response. */
  static BigArrays accountedTo(RequestMemory memory, PageCacheRecycler pages) {
    return new AccountedBigArrays(pages, new ResponsePageAccounting(memory));
  }

  @Override
  public void reserve(long bytes) {
    MemoryRejection rejection = memory.reserve(Category.CLIENT_RESPONSE, bytes);
    if (rejection != null) {
      throw RequestFrameBudget.exception(rejection);
    }
  }

  @Override
  public synchronized void onAllocated(long bytes) {
    MemoryRejection rejection = memory.reserve(Category.CLIENT_RESPONSE, bytes);
    if (rejection != null) {
      unaccountedBytes += bytes;
      throw RequestFrameBudget.exception(rejection);
    }
  }

  @Override
  public synchronized void release(long bytes) {
    long unaccounted = Math.min(unaccountedBytes, bytes);
    unaccountedBytes -= unaccounted;
    if (bytes > unaccounted) {
      memory.release(Category.CLIENT_RESPONSE, bytes - unaccounted);
    }
  }
}
