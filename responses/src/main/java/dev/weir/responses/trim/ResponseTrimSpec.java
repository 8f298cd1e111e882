package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.core.reduce.hits.PlainHitsBody;
import dev.weir.core.reduce.response.ResponseSplice;
import dev.weir.core.reduce.response.SearchTrimming;
import dev.weir.model.RequestContext;
import dev.weir.model.ResponseOptions.HitParts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.ToXContent.Params;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.SearchHit;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * The parts that are dropped from one search response.
 *
 * @param droppedParts the parts that are not written
 * @param fetchedParts the parts of hits that nodes fetch
 * @param sourceFilter the filter that nodes apply to documents; null if documents come whole or not
 *     at all
 * @param counts the counters of the profile, or of {@code filter_path}
 */
public record ResponseTrimSpec(
    Set<Part> droppedParts,
    HitParts fetchedParts,
    @Nullable FetchSourceContext sourceFilter,
    TrimCounts counts)
    implements SearchTrimming {
  /** Drops nothing. */
  public static final ResponseTrimSpec NONE =
      new ResponseTrimSpec(Set.of(), HitParts.ALL, null, new TrimCounts("none"));

  /** Returns the same spec without a source filter. */
  public ResponseTrimSpec withWholeDocuments() {
    return sourceFilter == null
        ? this
        : new ResponseTrimSpec(droppedParts, fetchedParts, null, counts);
  }

  boolean shouldWrite(Part part) {
    return !droppedParts.contains(part);
  }

  @Override
  public boolean shouldWriteAll() {
    return droppedParts.isEmpty();
  }

  @Override
  public boolean shouldWriteShards() {
    return shouldWrite(Part.SHARDS);
  }

  @Override
  public boolean shouldWriteMaxScore(boolean isNull) {
    return shouldWrite(Part.MAX_SCORE) && (!isNull || shouldWrite(Part.NULLS));
  }

  @Override
  public void addSavedBytes(long bytes) {
    counts.addSavedBytes(bytes);
  }

  @Override
  public void writeHits(
      @Nullable PlainHits plain, SearchHit[] hits, XContentBuilder builder, Params params)
      throws IOException {
    if (!shouldWrite(Part.HITS)) {
      return;
    }
    if (shouldWriteAll()) {
      SearchTrimming.NONE.writeHits(plain, hits, builder, params);
      return;
    }
    HitTrimmer trimmer = new HitTrimmer(this);
    if (plain == null) {
      trimmer.write(hits, builder, params);
    } else {
      builder.flush();
      trimmer.countSavings(plain);
      if (shouldWrite(Part.NULLS)) {
        ResponseSplice.add(builder, new PlainHitsBody(() -> new TrimmedHitWriter(plain, this)));
      } else {
        trimmer.write(new TrimmedHitWriter(plain, this), builder.getOutputStream());
      }
    }
    counts.addSavedBytes(trimmer.savedBytes());
  }

  @Override
  public void recordSkippedFetch() {
    counts.recordSkippedFetch();
  }

  @Override
  public boolean shouldSkipFetch() {
    return fetchedParts == HitParts.NONE;
  }

  /** Sets the header only if the request itself did not drop the parts. */
  @Override
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
