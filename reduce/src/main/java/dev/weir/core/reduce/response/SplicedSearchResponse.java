package dev.weir.core.reduce.response;

import dev.weir.core.coordinate.SearchWork;
import dev.weir.core.reduce.columns.ColumnPage;
import dev.weir.core.reduce.hits.LazyHits;
import dev.weir.core.reduce.hits.MaterializedHits;
import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.core.reduce.hits.ScoreJsonCache;
import dev.weir.core.reduce.terms.TermsJsonWriter;
import dev.weir.model.LazySearchResponse;
import dev.weir.model.SampledResponse;
import dev.weir.model.ZeroCopyHits;
import java.io.IOException;
import java.util.Map;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.action.RestActions;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.internal.InternalSearchResponse;

/**
 * A search response that writes plain hits as bytes, with the documents spliced in as they came
 * from the nodes. It writes the same bytes that OpenSearch's own class writes through a JSON
 * generator.
 *
 * <p>Trimming applies in both cases.
 *
 * <p>It splices only JSON that is neither pretty-printed nor filtered, and only if every hit is
 * {@linkplain PlainHits plain} and the response has no rare parts; otherwise OpenSearch's class
 * writes.
 */
public final class SplicedSearchResponse extends SearchResponse
    implements SampledResponse, LazySearchResponse {
  /** Bytes of {@code _shards} without its three variable numbers. */
  private static final int SHARDS_OVERHEAD = 57;

  private static final int MAX_SCORE_OVERHEAD = 13;

  private final InternalSearchResponse sections;
  private final SearchTrimming trim;
  private final @Nullable Map<String, Object> sampling;
  private final @Nullable LazyHits lazyHits;
  private final @Nullable ColumnPage columns;

  public SplicedSearchResponse(
      MergedResponse merged,
      @Nullable String scrollId,
      SearchWork.ShardCounts counts,
      long tookMillis,
      @Nullable PhaseTook phaseTook,
      Completion ending) {
    super(
        merged.sections(),
        scrollId,
        counts.total(),
        counts.successful(),
        counts.skipped(),
        tookMillis,
        phaseTook,
        ending.failures().toArray(),
        Clusters.EMPTY,
        ending.pitId());
    this.sections = merged.sections();
    this.lazyHits = merged.lazyHits();
    this.columns = merged.columns();
    this.trim = ending.trim();
    this.sampling = ending.sampling();
  }

  /**
   * What is known only when a search ends: the failed shards, its point in time, the trimming, and
   * the sampling.
   */
  public record Completion(
      ShardFailures failures,
      @Nullable String pitId,
      SearchTrimming trim,
      @Nullable Map<String, Object> sampling) {
    public Completion(ShardFailures failures, @Nullable String pitId, SearchTrimming trim) {
      this(failures, pitId, trim, null);
    }
  }

  @Override
  public @Nullable Map<String, Object> sampling() {
    return sampling;
  }

  /**
   * The merged results of a search. The hits are objects already, or become objects on demand: from
   * frames, or from columns.
   */
  public record MergedResponse(
      InternalSearchResponse sections, @Nullable LazyHits lazyHits, @Nullable ColumnPage columns) {
    /** Results whose documents are not columns. */
    public MergedResponse(InternalSearchResponse sections, @Nullable LazyHits lazyHits) {
      this(sections, lazyHits, null);
    }

    /** Results whose documents are columns. */
    public static MergedResponse ofColumns(ReducedResult best, ColumnPage page) {
      @Nullable SearchHit[] hits = new SearchHit[page.count()];
      return new MergedResponse(
          SearchInternals.buildResponse(best.withoutDocs(), hits), null, page);
    }

    /** Returns the number of hits. */
    public int hitCount() {
      return sections.hits().getHits().length;
    }
  }

  @Override
  public SearchHits getHits() {
    materializeHits();
    return super.getHits();
  }

  @Override
  public SearchResponseSections getInternalResponse() {
    materializeHits();
    return super.getInternalResponse();
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    materializeHits();
    super.writeTo(out);
  }

  @Override
  public @Nullable ZeroCopyHits zeroCopyHits() {
    return lazyHits == null || hasRareParts() ? null : lazyHits.plainHits();
  }

  /** Returns the documents as columns; null if they are hits. */
  public @Nullable ColumnPage columns() {
    return hasRareParts() ? null : columns;
  }

  @Override
  public long totalHits() {
    TotalHits total = sections.hits().getTotalHits();
    return total == null ? -1 : total.value();
  }

  @Override
  public boolean isTotalExact() {
    TotalHits total = sections.hits().getTotalHits();
    return total != null && total.relation() == TotalHits.Relation.EQUAL_TO;
  }

  @Override
  public float maxScore() {
    return sections.hits().getMaxScore();
  }

  /** Creates the hit objects. Most responses are written without them. */
  private void materializeHits() {
    if (lazyHits != null) {
      lazyHits.materialize();
    }
    if (columns != null) {
      columns.materialize(sections.hits().getHits());
    }
  }

  @Override
  public XContentBuilder innerToXContent(XContentBuilder builder, Params params)
      throws IOException {
    writeResponse(builder, params);
    return sampling == null ? builder : builder.field(JSON_FIELD, sampling);
  }

  private XContentBuilder writeResponse(XContentBuilder builder, Params params) throws IOException {
    boolean written = writeTrimmed(builder, params);
    PlainHits hits = written ? plainHits() : null;
    if (hits == null) {
      materializeHits();
    }
    if (hits == null && (trim.shouldWriteAll() || getScrollId() != null)) {
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
    if (trim.shouldWriteShards() || getSuccessfulShards() < getTotalShards() || isTimedOut()) {
      RestActions.buildBroadcastShardsHeader(
          builder,
          params,
          getTotalShards(),
          getSuccessfulShards(),
          getSkippedShards(),
          getFailedShards(),
          getShardFailures());
    } else {
      trim.addSavedBytes(SHARDS_OVERHEAD + shardSectionLength());
    }
    builder.startObject("hits");
    writeTotal(builder, params);
    maxScore(builder);
    builder.startArray("hits");
    trim.writeHits(hits, sections.hits().getHits(), builder, params);
    builder.endArray();
    builder.endObject();
    if (sections.aggregations() != null && written) {
      TermsJsonWriter.write(sections.aggregations(), builder, params);
    } else if (sections.aggregations() != null) {
      sections.aggregations().toXContent(builder, params);
    }
    if (sections.suggest() != null) {
      sections.suggest().toXContent(builder, params);
    }
    return builder;
  }

  private @Nullable PlainHits plainHits() {
    if (columns != null) {
      materializeHits();
    }
    return lazyHits == null
        ? MaterializedHits.createIfPlain(sections.hits().getHits())
        : lazyHits.plainHits();
  }

  private void maxScore(XContentBuilder builder) throws IOException {
    float maxScore = sections.hits().getMaxScore();
    boolean none = Float.isNaN(maxScore);
    if (!trim.shouldWriteMaxScore(none)) {
      trim.addSavedBytes(MAX_SCORE_OVERHEAD + new ScoreJsonCache().jsonOf(maxScore).length);
    } else if (none) {
      builder.nullField("max_score");
    } else {
      builder.field("max_score", maxScore);
    }
  }

  private int shardSectionLength() {
    return Integer.toString(getTotalShards()).length()
        + Integer.toString(getSuccessfulShards()).length()
        + Integer.toString(getSkippedShards()).length();
  }

  private boolean writeTrimmed(XContentBuilder builder, Params params) {
    return !hasRareParts()
        && builder.contentType() == XContentType.JSON
        && !builder.isPrettyPrint()
        && params.param("filter_path") == null;
  }

  private boolean hasRareParts() {
    return getScrollId() != null
        || sections.suggest() != null
        || !sections.profile().isEmpty()
        || !sections.getSearchExtBuilders().isEmpty()
        || !sections.getProcessorResult().isEmpty();
  }

  private void writeTotal(XContentBuilder builder, Params params) throws IOException {
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
