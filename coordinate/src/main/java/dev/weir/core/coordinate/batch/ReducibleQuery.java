package dev.weir.core.coordinate.batch;

import dev.weir.protocol.NodeCall;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a query whose result a node may reduce together with those of other shards.
 * Immutable once sent.
 */
public interface ReducibleQuery {
  /** Returns the reduction of the search that the query belongs to. */
  PartialReduction reduction();

  /** Returns the number by which the search orders this shard's hits among equal ones. */
  int shardIndex();

  /**
   * Creates the call that frees the search context that a reply leaves open on its node; null if
   * there is none.
   */
  @Nullable NodeCall<?> createFreeCall(Object reply);
}
