package dev.weir.responses.sampling;

import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.model.SamplingSpec;
import java.util.List;
import org.opensearch.action.search.SearchRequest;

/** One search that is to be answered by estimates. Confined to the request's event loop. */
public final class SampledSearchSpec implements SearchSampling {
  private final SampledRequestRewrite request;
  private final SamplingSpec options;
  private final long seed;
  private final int minShardsPerIndex;
  private final SampleCounts counts;

  private SampledSearchSpec(
      SampledRequestRewrite request,
      SamplingSpec wish,
      long seed,
      int leastOfAnIndex,
      SampleCounts counts) {
    this.request = request;
    this.options = wish;
    this.seed = seed;
    this.minShardsPerIndex = leastOfAnIndex;
    this.counts = counts;
  }

  /**
   * Looks at a search, and changes what its shards are asked so that they tell enough.
   *
   * @param seed what decides which shards
   * @param leastOfAnIndex at least so many shards of each index are asked, as far as there are
   * @throws IllegalArgumentException where it asks for what can't be estimated
   */
  public static SampledSearchSpec create(
      SearchRequest request,
      SamplingSpec wish,
      long seed,
      int leastOfAnIndex,
      SampleCounts counts) {
    return new SampledSearchSpec(
        SampledRequestRewrite.rewrite(request), wish, seed, leastOfAnIndex, counts);
  }

  @Override
  public ShardSample drawSample(List<String> indices) {
    return new ShardSample(
        this,
        indices,
        ShardSampler.sample(indices, options.shardCount(indices.size()), minShardsPerIndex, seed));
  }

  SampledRequestRewrite request() {
    return request;
  }

  double confidence() {
    return options.confidence();
  }

  long seed() {
    return seed;
  }

  SampleCounts counts() {
    return counts;
  }
}
