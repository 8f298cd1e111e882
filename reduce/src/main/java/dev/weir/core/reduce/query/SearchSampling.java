package dev.weir.core.reduce.query;

import java.util.List;

/**
 * How one search is answered by estimates from a sample of its shards. The module {@code responses}
 * implements it. Confined to the request's event loop.
 */
public interface SearchSampling {
  /**
   * Draws a sample of the shards; the same shards give the same sample.
   *
   * @param indices the index of each shard of the search, by ordinal
   */
  SampledShards drawSample(List<String> indices);
}
