package dev.weir.gateway.reduce;

import java.io.IOException;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.action.RestActions;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.search.internal.InternalSearchResponse;

/**
 * A search's answer that writes plain hits as bytes, with the documents as they came from the nodes
 * in between; the same bytes that OpenSearch's own class writes by way of a JSON generator.
 *
 * <p>Only JSON that is neither pretty nor filtered is written like this, and only if every hit is
 * {@linkplain PlainHits plain} and nothing rare is in the answer; else OpenSearch's class writes.
 */
final class SplicedResponse extends SearchResponse {
  private final InternalSearchResponse sections;

  SplicedResponse(
      InternalSearchResponse sections,
      @Nullable String scrollId,
      SearchWork.ShardCounts counts,
      long tookMillis,
      @Nullable PhaseTook phaseTook,
      Ending ending) {
    super(
        sections,
        scrollId,
        counts.total(),
        counts.successful(),
        counts.skipped(),
        tookMillis,
        phaseTook,
        ending.failures().toArray(),
        Clusters.EMPTY,
        ending.pitId());
    this.sections = sections;
  }

  /** What is known only when a search ends: the shards that failed, and its point in time. */
  record Ending(ShardFailures failures, @Nullable String pitId) {}

  @Override
  public XContentBuilder innerToXContent(XContentBuilder builder, Params params)
      throws IOException {
    PlainHits hits = written(builder, params) ? PlainHits.of(sections.hits().getHits()) : null;
    if (hits == null) {
      return super.innerToXContent(builder, params);
    }
    if (pointInTimeId() != null) {
      builder.field("pit_id", pointInTimeId());
    }
    builder.field("took", getTook().millis());
    if (getPhaseTook() != null) {
      getPhaseTook().toXContent(builder, params);
    }
    builder.field("timed_out", isTimedOut());
    if (isTerminatedEarly() != null) {
      builder.field("terminated_early", isTerminatedEarly());
    }
    if (getNumReducePhases() != 1) {
      builder.field("num_reduce_phases", getNumReducePhases());
    }
    RestActions.buildBroadcastShardsHeader(
        builder,
        params,
        getTotalShards(),
        getSuccessfulShards(),
        getSkippedShards(),
        getFailedShards(),
        getShardFailures());
    builder.startObject("hits");
    total(builder, params);
    float maxScore = sections.hits().getMaxScore();
    if (Float.isNaN(maxScore)) {
      builder.nullField("max_score");
    } else {
      builder.field("max_score", maxScore);
    }
    builder.startArray("hits");
    builder.flush();
    hits.writeTo(builder.getOutputStream());
    builder.endArray();
    builder.endObject();
    if (sections.aggregations() != null) {
      sections.aggregations().toXContent(builder, params);
    }
    return builder;
  }

  private boolean written(XContentBuilder builder, Params params) {
    return getScrollId() == null
        && sections.suggest() == null
        && sections.profile().isEmpty()
        && sections.getSearchExtBuilders().isEmpty()
        && sections.getProcessorResult().isEmpty()
        && builder.contentType() == XContentType.JSON
        && !builder.isPrettyPrint()
        && params.param("filter_path") == null;
  }

  private void total(XContentBuilder builder, Params params) throws IOException {
    TotalHits total = sections.hits().getTotalHits();
    if (params.paramAsBoolean(RestSearchAction.TOTAL_HITS_AS_INT_PARAM, false)) {
      builder.field("total", total == null ? -1 : total.value());
    } else if (total != null) {
      builder.startObject("total");
      builder.field("value", total.value());
      builder.field("relation", total.relation() == TotalHits.Relation.EQUAL_TO ? "eq" : "gte");
      builder.endObject();
    }
  }
}
