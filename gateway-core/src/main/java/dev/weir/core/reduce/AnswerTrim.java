package dev.weir.core.reduce;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.model.AnswerWish.HitParts;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * What of a search's answer is left out.
 *
 * @param dropped what is not written
 * @param fetched what is asked for of hits
 * @param fields to which nodes cut documents down; null where documents come whole, or not at all
 * @param counts what is counted; of a profile, or of {@code filter_path}
 */
public record AnswerTrim(
    Set<Part> dropped, HitParts fetched, @Nullable FetchSourceContext fields, TrimCounts counts) {
  /** Nothing is left out. */
  public static final AnswerTrim NONE =
      new AnswerTrim(Set.of(), HitParts.ALL, null, new TrimCounts("none"));

  /** The same, but for documents that are not cut down. */
  public AnswerTrim withWholeDocuments() {
    return fields == null ? this : new AnswerTrim(dropped, fetched, null, counts);
  }

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

  /**
   * Counts a search that was answered, with so many hits, and tells the client where its answer
   * lacks what the request did not say itself.
   */
  void answered(RequestContext context, int hits) {
    boolean lacks = !writesAll() || fields != null;
    if (lacks) {
      context.addResponseHeaders(Map.of(RequestContext.TRIMMED, List.of(counts.profile())));
    }
    if (!lacks && fetched == HitParts.ALL) {
      return;
    }
    counts.answered();
    if (fetched != HitParts.ALL && hits > 0) {
      counts.withoutSource(hits);
    }
  }
}
