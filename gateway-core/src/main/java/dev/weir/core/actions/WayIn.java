package dev.weir.core.actions;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.truncate.KeywordTruncation;
import dev.weir.core.actions.merge.BulkMerging;
import dev.weir.model.PolicySections;
import java.util.function.LongSupplier;

/**
 * What becomes of writes on their way in, by their policies. Safe on any thread.
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
  public static WayIn of(PolicySections<BulkPolicy> sections, LongSupplier nanoTime) {
    return new WayIn(
        new KeywordTruncation(sections.of(BulkPolicy::truncateKeywords)),
        new BulkMerging(sections.of(BulkPolicy::merge), nanoTime));
  }
}
