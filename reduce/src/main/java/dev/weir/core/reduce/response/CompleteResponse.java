package dev.weir.core.reduce.response;

import dev.weir.core.reduce.hits.PlainHitWriter;
import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.core.reduce.hits.PlainHitsBody;
import dev.weir.model.RequestContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.ToXContent.Params;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.SearchHit;

/** Writes the whole response. Stateless. */
final class CompleteResponse implements SearchTrimming {
  @Override
  public boolean shouldWriteAll() {
    return true;
  }

  @Override
  public boolean shouldWriteShards() {
    return true;
  }

  @Override
  public boolean shouldWriteMaxScore(boolean isNull) {
    return true;
  }

  @Override
  public void writeHits(
      @Nullable PlainHits plain, SearchHit[] hits, XContentBuilder builder, Params params)
      throws IOException {
    if (plain != null) {
      ResponseSplice.add(builder, new PlainHitsBody(() -> new PlainHitWriter(plain)));
      return;
    }
    for (SearchHit hit : hits) {
      hit.toXContent(builder, params);
    }
  }

  @Override
  public void addSavedBytes(long bytes) {}

  @Override
  public boolean shouldSkipFetch() {
    return false;
  }

  @Override
  public void recordSkippedFetch() {}

  @Override
  public void recordSearch(RequestContext context, int hits) {}
}
