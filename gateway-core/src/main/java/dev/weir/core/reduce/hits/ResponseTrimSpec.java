package dev.weir.core.reduce.hits;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.model.RequestContext;
import dev.weir.model.ResponseOptions.HitParts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * What of a search's answer is left out.
 *
 * @param droppedParts what is not written
 * @param fetchedParts what is asked for of hits
 * @param sourceFilter to which nodes cut documents down; null where documents come whole, or not at
 *     all
 * @param counts what is counted; of a profile, or of {@code filter_path}
 */
public record ResponseTrimSpec(
    Set<Part> droppedParts,
    HitParts fetchedParts,
    @Nullable FetchSourceContext sourceFilter,
    TrimCounts counts) {
  /** Nothing is left out. */
  public static final ResponseTrimSpec NONE =
      new ResponseTrimSpec(Set.of(), HitParts.ALL, null, new TrimCounts("none"));

  /** The same, but for documents that are not cut down. */
  public ResponseTrimSpec withWholeDocuments() {
    return sourceFilter == null
        ? this
        : new ResponseTrimSpec(droppedParts, fetchedParts, null, counts);
  }

  /** Whether this is written. */
  public boolean shouldWrite(Part part) {
    return !droppedParts.contains(part);
  }

  /** Whether all is written. */
  public boolean shouldWriteAll() {
    return droppedParts.isEmpty();
  }

  /** Whether hits are not fetched. */
  public boolean shouldSkipFetch() {
    return fetchedParts == HitParts.NONE;
  }

  /**
   * Counts a search that was answered, with so many hits, and tells the client where its answer
   * lacks what the request did not say itself.
   */
  public void recordSearch(RequestContext context, int hits) {
    boolean lacks = !shouldWriteAll() || sourceFilter != null;
    if (lacks) {
      context
          .response()
          .addHeaders(Map.of(RequestContext.TRIMMED_HEADER, List.of(counts.profile())));
    }
    if (!lacks && fetchedParts == HitParts.ALL) {
      return;
    }
    counts.recordResponse();
    if (fetchedParts != HitParts.ALL && hits > 0) {
      counts.addSkippedDocuments(hits);
    }
  }
}
