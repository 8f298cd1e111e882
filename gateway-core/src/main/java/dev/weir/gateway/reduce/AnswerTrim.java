package dev.weir.gateway.reduce;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.model.AnswerWish.HitParts;
import java.util.Set;

/**
 * What of a search's answer is left out.
 *
 * @param dropped what is not written
 * @param fetched what is asked for of hits
 * @param counts what is counted; of a profile, or of {@code filter_path}
 */
public record AnswerTrim(Set<Part> dropped, HitParts fetched, TrimCounts counts) {
  /** Nothing is left out. */
  public static final AnswerTrim NONE =
      new AnswerTrim(Set.of(), HitParts.ALL, new TrimCounts("none"));

  /** Whether this is written. */
  boolean keeps(Part part) {
    return !dropped.contains(part);
  }

  /** Whether all is written. */
  boolean writesAll() {
    return dropped.isEmpty();
  }

  /** Whether hits are not fetched. */
  boolean skipsFetch() {
    return fetched == HitParts.NOTHING;
  }

  /** Counts a search that ended, with so many hits in its answer. */
  void answered(int hits) {
    if (writesAll() && fetched == HitParts.ALL) {
      return;
    }
    counts.answered();
    if (fetched != HitParts.ALL && hits > 0) {
      counts.withoutSource(hits);
    }
  }
}
