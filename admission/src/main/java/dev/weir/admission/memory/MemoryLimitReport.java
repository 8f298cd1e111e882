package dev.weir.admission.memory;

import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory.Category;
import java.util.List;

/**
 * The limit that a reservation exceeded, in figures that explain it: the resulting bytes and the
 * limit count the same holders, so that the first exceed the second.
 *
 * @param resultingBytes what would be held under the limit
 * @param limitBytes the limit
 * @param description what the limit bounds, with the configuration key that raises it
 * @param permanent whether it would be exceeded even if no other request held memory
 */
record MemoryLimitReport(
    long resultingBytes, long limitBytes, String description, boolean permanent) {
  private static final String RATIO_KEY = "admission.request-memory.max-pool-ratio";

  /** For a reservation that no limit rejects. */
  static final MemoryLimitReport NONE = new MemoryLimitReport(0, 0, "", false);

  MemoryRejection toRejection(
      Category item, long requestedBytes, List<String> bill, List<String> growth) {
    return new MemoryRejection(
        item, requestedBytes, resultingBytes, limitBytes, description, permanent, bill, growth);
  }

  /** The request's own limit, over all pools. */
  static MemoryLimitReport ofRequest(
      long resultingBytes, RequestMemoryPolicy policy, String section) {
    return new MemoryLimitReport(
        resultingBytes, policy.maxBytes().bytes(), "one request (" + section + ".max-bytes)", true);
  }

  /** What one request may hold of a pool while no other request holds any. */
  static MemoryLimitReport ofRequestAlone(long resultingBytes, PoolShare share, String key) {
    return new MemoryLimitReport(
        resultingBytes,
        share.maxBytesAlone(),
        "one request alone (" + percentOf(share) + key + ", " + RATIO_KEY + ")",
        true);
  }

  /** What one request or tenant may hold of a pool beside the others. */
  static MemoryLimitReport ofShare(
      MemoryLimitScope scope, long held, long bytes, PoolShare share, String key) {
    long resulting = sum(held, bytes);
    long limit = share.maxBytesBeside(Math.max(0, share.pool().usedBytes() - held));
    return new MemoryLimitReport(
        resulting,
        Math.min(limit, resulting - 1), // others may have released bytes since
        (scope == MemoryLimitScope.TENANT ? "one tenant" : "one request")
            + " beside the others ("
            + percentOf(share)
            + "what they leave of "
            + key
            + ", "
            + RATIO_KEY
            + ")",
        false);
  }

  /** The size of a pool. */
  static MemoryLimitReport ofPool(long bytes, PoolShare share, String key) {
    long limit = share.pool().limitBytes();
    return new MemoryLimitReport(
        Math.max(limit + 1, sum(share.pool().usedBytes(), bytes)),
        limit,
        "all requests together (" + key + ")",
        false);
  }

  private static String percentOf(PoolShare share) {
    double ratio = share.policy().enabled() ? share.policy().maxPoolRatio() : 1;
    return Math.round(100 * ratio) + " % of ";
  }

  /** Adds without overflow. */
  static long sum(long held, long bytes) {
    return bytes > Long.MAX_VALUE - held ? Long.MAX_VALUE : held + bytes;
  }
}
