package dev.weir.responses.sampling;

import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.model.SamplingSpec;
import java.util.List;
import org.opensearch.action.search.SearchRequest;

/** One search to answer by estimates. Confined to the request's event loop. */
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
      int minPerIndex,
      SampleCounts counts) {
    this.request = request;
    this.options = wish;
    this.seed = seed;
    this.minShardsPerIndex = minPerIndex;
    this.counts = counts;
  }

  /**
   * Rewrites a search in place, so that its shards return enough for estimates.
   *
   * @param seed determines the sampled shards
   * @param minPerIndex the minimum number of sampled shards of each index, as far as it has them
   * @throws IllegalArgumentException if the search requests something that cannot be estimated
   */
  public static SampledSearchSpec create(
      SearchRequest request, SamplingSpec wish, long seed, int minPerIndex, SampleCounts counts) {
    return new SampledSearchSpec(
        SampledRequestRewrite.rewrite(request), wish, seed, minPerIndex, counts);
  }

  @Override
  public ShardSample drawSample(List<String> indices) {
    return new ShardSample(
        this,
        indices,
        ShardSampler.sample(indices, options.shardCount(indices.size()), minShardsPerIndex, seed));
  }

  /** Returns why the sample consists of all shards of the search, for the response. */
  String whyAllShards(int totalShards) {
    if (totalShards == 0) {
      return "the search has no shards";
    }
    return options.shardCount(totalShards) >= totalShards
        ? "the request asks for all " + totalShards + " shards"
        : "each index is queried in at least "
            + minShardsPerIndex
            + " shards ([sampling.min-shards-per-index]), which are all "
            + totalShards
            + " shards of the search";
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
