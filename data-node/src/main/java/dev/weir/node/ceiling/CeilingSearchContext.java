package dev.weir.node.ceiling;

import org.opensearch.action.support.StreamSearchChannelListener;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.SearchContextAggregations;
import org.opensearch.search.aggregations.bucket.LocalBucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator;
import org.opensearch.search.aggregations.metrics.CardinalityAggregationContext;
import org.opensearch.search.fetch.subphase.FetchDocValuesContext;
import org.opensearch.search.fetch.subphase.FetchFieldsContext;
import org.opensearch.search.internal.FilteredSearchContext;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.streaming.FlushMode;

/**
 * The context that aggregators see: that of their shard request, with arrays that count in the
 * search's account. Everything else goes to the shard request's context, also what {@link
 * FilteredSearchContext} leaves to the defaults. The shard request's context closes it, and it
 * closes the aggregators: until then, what they hold counts in the account.
 */
final class CeilingSearchContext extends FilteredSearchContext {
  private final SearchContext in;
  private final BigArrays arrays;
  private final SearchContextAggregations own;
  private final Releasable account;

  /**
   * Wraps a context.
   *
   * @param arrays reserve their bytes in the account
   * @param own the shard's own aggregations, with the consumer that counts buckets
   * @param account is released after the aggregators have ended
   */
  CeilingSearchContext(
      SearchContext in, BigArrays arrays, SearchContextAggregations own, Releasable account) {
    super(in);
    this.in = in;
    this.arrays = arrays;
    this.own = own;
    this.account = account;
  }

  /** The aggregators are closed before, as they were added to this context. */
  @Override
  protected void doClose() {
    account.close();
  }

  @Override
  public BigArrays bigArrays() {
    return arrays;
  }

  @Override
  public SearchContextAggregations aggregations() {
    return own;
  }

  @Override
  public FetchDocValuesContext docValuesContext() {
    return in.docValuesContext();
  }

  @Override
  public SearchContext docValuesContext(FetchDocValuesContext values) {
    return in.docValuesContext(values);
  }

  @Override
  public FetchFieldsContext fetchFieldsContext() {
    return in.fetchFieldsContext();
  }

  @Override
  public SearchContext fetchFieldsContext(FetchFieldsContext fields) {
    return in.fetchFieldsContext(fields);
  }

  @Override
  public boolean isSearchTimedOut() {
    return in.isSearchTimedOut();
  }

  @Override
  public void setSearchTimedOut(boolean timedOut) {
    in.setSearchTimedOut(timedOut);
  }

  @Override
  public long getRelativeTimeInMillis(boolean useCache) {
    return in.getRelativeTimeInMillis(useCache);
  }

  @Override
  public LocalBucketCountThresholds asLocalBucketCountThresholds(
      TermsAggregator.BucketCountThresholds thresholds) {
    return in.asLocalBucketCountThresholds(thresholds);
  }

  @Override
  public long getStreamingMaxEstimatedBucketCount() {
    return in.getStreamingMaxEstimatedBucketCount();
  }

  @Override
  public double getStreamingMinCardinalityRatio() {
    return in.getStreamingMinCardinalityRatio();
  }

  @Override
  public long getStreamingMinEstimatedBucketCount() {
    return in.getStreamingMinEstimatedBucketCount();
  }

  @Override
  public int maxAggRewriteFilters() {
    return in.maxAggRewriteFilters();
  }

  @Override
  public int filterRewriteSegmentThreshold() {
    return in.filterRewriteSegmentThreshold();
  }

  @Override
  public int cardinalityAggregationPruningThreshold() {
    return in.cardinalityAggregationPruningThreshold();
  }

  @Override
  public long termsAggregationMaxPrecomputeCardinality() {
    return in.termsAggregationMaxPrecomputeCardinality();
  }

  @Override
  public CardinalityAggregationContext cardinalityAggregationContext() {
    return in.cardinalityAggregationContext();
  }

  @Override
  public int bucketSelectionStrategyFactor() {
    return in.bucketSelectionStrategyFactor();
  }

  @Override
  public boolean keywordIndexOrDocValuesEnabled() {
    return in.keywordIndexOrDocValuesEnabled();
  }

  @Override
  public void setStreamChannelListener(
      StreamSearchChannelListener<SearchPhaseResult, ShardSearchRequest> listener) {
    in.setStreamChannelListener(listener);
  }

  @Override
  public StreamSearchChannelListener<SearchPhaseResult, ShardSearchRequest>
      getStreamChannelListener() {
    return in.getStreamChannelListener();
  }

  @Override
  public boolean isStreamSearch() {
    return in.isStreamSearch();
  }

  @Override
  public FlushMode getFlushMode() {
    return in.getFlushMode();
  }

  @Override
  public boolean setFlushModeIfAbsent(FlushMode flushMode) {
    return in.setFlushModeIfAbsent(flushMode);
  }

  @Override
  public String toString() {
    return in.toString();
  }
}
