package dev.weir.node.ceiling;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.query.QueryShardContext;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.Aggregator;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.AggregatorFactory;
import org.opensearch.search.aggregations.CardinalityUpperBound;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.SearchContextAggregations;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregatorFactory;
import org.opensearch.search.internal.SearchContext;

/**
 * Makes the aggregators of a shard request with another context.
 *
 * <p>Nothing in OpenSearch lets a plugin change the context that aggregators are created with,
 * except a {@code QueryPhaseSearcher}, of which a node may have only one: a node with the
 * neural-search plugin, which has one too, would not start. So the shard's top-level aggregator
 * factories are replaced by factories that call them with that context. {@code AggregatorFactories}
 * can only be built from builders, hence the builders here; sub-aggregators get the context from
 * their parents.
 */
final class CeilingAggregations {
  private CeilingAggregations() {}

  /**
   * Replaces the aggregations of a context, before its query phase.
   *
   * @param arrays reserve their bytes in the search's account
   * @param consumer counts the buckets
   * @param account is released after the aggregators have ended, with the context; at once if this
   *     context cannot be copied
   */
  static void replace(
      SearchContext context, BigArrays arrays, CeilingBucketConsumer consumer, Releasable account)
      throws IOException {
    AggregatorFactories factories = context.aggregations().factories();
    SearchContext seen = copy(context, arrays, factories, consumer, account);
    AggregatorFactories.Builder replaced = AggregatorFactories.builder();
    for (AggregatorFactory factory : factories.getFactories()) {
      replaced.addAggregator(new Replacement(factory, seen));
    }
    context.aggregations(
        new SearchContextAggregations(
            replaced.build(context.getQueryShardContext(), null), consumer));
  }

  private static SearchContext copy(
      SearchContext context,
      BigArrays arrays,
      AggregatorFactories factories,
      CeilingBucketConsumer consumer,
      Releasable account) {
    boolean isRegistered = false;
    try {
      SearchContext seen =
          new CeilingSearchContext(
              context, arrays, new SearchContextAggregations(factories, consumer), account);
      context.addReleasable(seen);
      isRegistered = true;
      return seen;
    } finally {
      if (!isRegistered) { // the context is of another plugin, and threw
        account.close();
      }
    }
  }

  /** Creates the aggregators of another factory, with another context. */
  private static final class Factory extends AggregatorFactory {
    private final AggregatorFactory factory;
    private final SearchContext seen;

    Factory(QueryShardContext shard, AggregatorFactory factory, SearchContext seen)
        throws IOException {
      super(factory.name(), shard, null, AggregatorFactories.builder(), Map.of());
      this.factory = factory;
      this.seen = seen;
    }

    @Override
    protected Aggregator createInternal(
        SearchContext context,
        @Nullable Aggregator parent,
        CardinalityUpperBound cardinality,
        Map<String, Object> metadata)
        throws IOException {
      return factory.create(seen, parent, cardinality);
    }

    @Override
    public AggregatorFactories getSubFactories() {
      return factory.getSubFactories();
    }

    @Override
    public String getStatsSubtype() {
      return factory.getStatsSubtype();
    }

    /** OpenSearch decided this for the shard's own factories, and keeps to it. */
    @Override
    protected boolean supportsConcurrentSegmentSearch() {
      return true;
    }

    @Override
    public boolean evaluateChildFactories() {
      return factory.evaluateChildFactories();
    }
  }

  /** The same for global aggregations, which OpenSearch tells by the class of their factory. */
  private static final class GlobalFactory extends GlobalAggregatorFactory {
    private final AggregatorFactory factory;
    private final SearchContext seen;

    GlobalFactory(QueryShardContext shard, AggregatorFactory factory, SearchContext seen)
        throws IOException {
      super(factory.name(), shard, null, AggregatorFactories.builder(), Map.of());
      this.factory = factory;
      this.seen = seen;
    }

    @Override
    public Aggregator createInternal(
        SearchContext context,
        @Nullable Aggregator parent,
        CardinalityUpperBound cardinality,
        Map<String, Object> metadata)
        throws IOException {
      return factory.create(seen, parent, cardinality);
    }

    @Override
    public AggregatorFactories getSubFactories() {
      return factory.getSubFactories();
    }
  }

  /** A builder that builds one replaced factory, and can do nothing else. */
  private static final class Replacement extends AggregationBuilder {
    private final AggregatorFactory factory;
    private final SearchContext seen;

    Replacement(AggregatorFactory factory, SearchContext seen) {
      super(factory.name());
      this.factory = factory;
      this.seen = seen;
    }

    @Override
    protected AggregatorFactory build(QueryShardContext shard, @Nullable AggregatorFactory parent)
        throws IOException {
      return factory instanceof GlobalAggregatorFactory
          ? new GlobalFactory(shard, factory, seen)
          : new Factory(shard, factory, seen);
    }

    @Override
    public String getType() {
      return "weir_ceiling";
    }

    @Override
    public String getWriteableName() {
      return getType();
    }

    @Override
    public Map<String, Object> getMetadata() {
      return Map.of();
    }

    @Override
    public BucketCardinality bucketCardinality() {
      return BucketCardinality.NONE;
    }

    @Override
    public AggregationBuilder setMetadata(Map<String, Object> metadata) {
      throw unsupported();
    }

    @Override
    public AggregationBuilder subAggregation(AggregationBuilder aggregation) {
      throw unsupported();
    }

    @Override
    public AggregationBuilder subAggregation(PipelineAggregationBuilder aggregation) {
      throw unsupported();
    }

    @Override
    public AggregationBuilder subAggregations(AggregatorFactories.Builder subFactories) {
      throw unsupported();
    }

    @Override
    protected AggregationBuilder shallowCopy(
        AggregatorFactories.Builder subFactories, Map<String, Object> metadata) {
      throw unsupported();
    }

    @Override
    public void writeTo(StreamOutput out) {
      throw unsupported();
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, Params params) {
      throw unsupported();
    }

    private static UnsupportedOperationException unsupported() {
      return new UnsupportedOperationException(
          "got another use of a replaced aggregation (expected: that its factory is built)");
    }
  }
}
