package dev.weir.gateway.actions;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.gateway.actions.cut.KeywordTruncation;
import dev.weir.gateway.actions.merge.BulkMerging;
import java.util.function.LongSupplier;

/**
 * What becomes of writes on their way in, by the policy in force. Safe on any thread.
 *
 * @param truncation cuts values that an index does not take
 * @param merging lets small bulks go together
 */
public record WayIn(KeywordTruncation truncation, BulkMerging merging) {
  /**
   * Makes it.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public static WayIn of(BulkPolicy policy, LongSupplier nanoTime) {
    return new WayIn(
        new KeywordTruncation(policy.truncateKeywords()),
        new BulkMerging(policy.merge(), nanoTime));
  }

  /** Goes by another policy from now on. */
  public void use(BulkPolicy policy) {
    truncation.use(policy.truncateKeywords());
    merging.use(policy.merge());
  }
}
