package dev.weir.core.reduce.query;

import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import java.util.List;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/** The sample of a search's shards that are queried. Used by one thread at a time. */
public interface SampledShards {
  /** The sampled elements of a list that has one element for each shard of the search, in order. */
  <T> List<T> select(List<T> shards);

  /** How many shards the search would query without sampling. */
  int totalShards();

  /** The seed that the sample was drawn by. */
  long seed();

  /** Makes what reduces the shards' results to estimates; once for each search. */
  SampledReduction createReduction(
      NamedWriteableRegistry namedWriteables, SearchCircuitBreaker breaker);
}
