package dev.weir.core.reduce.sample;

import dev.weir.model.SampleWish;
import java.util.List;
import org.opensearch.action.search.SearchRequest;

/** One search that is to be answered by estimates. Confined to the request's home. */
public final class SampleAsk {
  private final SampledRequest request;
  private final SampleWish wish;
  private final long seed;
  private final int leastOfAnIndex;
  private final SampleCounts counts;

  private SampleAsk(
      SampledRequest request, SampleWish wish, long seed, int leastOfAnIndex, SampleCounts counts) {
    this.request = request;
    this.wish = wish;
    this.seed = seed;
    this.leastOfAnIndex = leastOfAnIndex;
    this.counts = counts;
  }

  /**
   * Looks at a search, and changes what its shards are asked so that they tell enough.
   *
   * @param seed what decides which shards
   * @param leastOfAnIndex at least so many shards of each index are asked, as far as there are
   * @throws IllegalArgumentException where it asks for what can't be estimated
   */
  public static SampleAsk of(
      SearchRequest request, SampleWish wish, long seed, int leastOfAnIndex, SampleCounts counts) {
    return new SampleAsk(SampledRequest.of(request), wish, seed, leastOfAnIndex, counts);
  }

  /**
   * Draws a sample; from the same shards the same one.
   *
   * @param indices the index of each shard of the search
   */
  public Sample draw(List<String> indices) {
    return new Sample(
        this, indices, Draw.of(indices, wish.of(indices.size()), leastOfAnIndex, seed));
  }

  SampledRequest request() {
    return request;
  }

  double confidence() {
    return wish.confidence();
  }

  long seed() {
    return seed;
  }

  SampleCounts counts() {
    return counts;
  }
}
