package dev.weir.core.actions;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.lines.LineBulkCounts;
import dev.weir.core.actions.merge.BulkMerger;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.model.PolicySectionRegistry;
import java.util.function.LongSupplier;

/**
 * What policies change about writes before they are planned. Safe on any thread.
 *
 * @param keywordTruncation truncates values that an index does not accept
 * @param bulkMerger merges small bulks
 * @param lineBulks counts the bulks whose documents need no change
 */
public record WriteTransforms(
    KeywordTruncationService keywordTruncation, BulkMerger bulkMerger, LineBulkCounts lineBulks) {
  /**
   * Creates the transforms.
   *
   * @param nanoTime a monotonic clock, in nanoseconds
   */
  public static WriteTransforms create(
      PolicySectionRegistry<BulkPolicy> sections, LongSupplier nanoTime) {
    return new WriteTransforms(
        new KeywordTruncationService(sections.narrow(BulkPolicy::truncateKeywords)),
        new BulkMerger(sections.narrow(BulkPolicy::merge), nanoTime),
        new LineBulkCounts());
  }
}
