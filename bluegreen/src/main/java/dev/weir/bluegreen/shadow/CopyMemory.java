package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import dev.weir.model.BufferedResponse;
import org.jspecify.annotations.Nullable;

/** The memory of all copies of requests and responses. Safe on any thread. */
final class CopyMemory {
  private final MemoryPool pool;

  CopyMemory(long maxBytes) {
    this.pool = new MemoryPool(maxBytes);
  }

  MemoryPool pool() {
    return pool;
  }

  /**
   * Turns a reservation into that of a copy of another size. The copy exists already, so the
   * difference is reserved even beyond the limit.
   *
   * @param copy null to release the reservation
   */
  void adjust(long reservedBytes, @Nullable RequestCopy copy) {
    long more = (copy == null ? 0 : copy.heapBytes()) - reservedBytes;
    if (more >= 0) {
      pool.forceReserve(more);
    } else {
      pool.release(-more);
    }
  }

  /**
   * Copies a response without a body that is longer than {@code maxBodyBytes}.
   *
   * @param responseNanos its response time
   * @return null if memory is short
   */
  @Nullable CapturedResponse capture(
      ReadKind kind, BufferedResponse response, long responseNanos, int maxBodyBytes) {
    long length = kind == ReadKind.EXISTS ? 0 : response.body().length();
    if (length > maxBodyBytes) {
      return new CapturedResponse(response.status(), response.contentType(), null, responseNanos);
    }
    if (!pool.tryReserve(length, 0)) {
      return null;
    }
    boolean copied = false;
    try {
      byte[] body = length == 0 ? new byte[0] : response.body().toByteArray();
      copied = true;
      return new CapturedResponse(response.status(), response.contentType(), body, responseNanos);
    } finally {
      if (!copied) {
        pool.release(length);
      }
    }
  }

  void release(RequestCopy copy) {
    pool.release(copy.heapBytes());
  }

  void release(CapturedResponse response) {
    byte[] body = response.body();
    pool.release(body == null ? 0 : body.length);
  }
}
