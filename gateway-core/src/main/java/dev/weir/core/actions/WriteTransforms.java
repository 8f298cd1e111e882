package dev.weir.core.actions;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.merge.BulkMerger;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.model.PolicySectionRegistry;
import java.util.function.LongSupplier;

/**
 * What becomes of writes on their way in, by their policies. Safe on any thread.
 *
 * @param keywordTruncation cuts values that an index does not take
 * @param bulkMerger lets small bulks go together
 */
public record WriteTransforms(KeywordTruncationService keywordTruncation, BulkMerger bulkMerger) {
  /**
   * Makes it.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public static WriteTransforms create(
      PolicySectionRegistry<BulkPolicy> sections, LongSupplier nanoTime) {
    return new WriteTransforms(
        new KeywordTruncationService(sections.narrow(BulkPolicy::truncateKeywords)),
        new BulkMerger(sections.narrow(BulkPolicy::merge), nanoTime));
  }
}
