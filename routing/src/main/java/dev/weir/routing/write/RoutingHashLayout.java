package dev.weir.routing.write;

/**
 * Maps the hashes of routing values to an index's shards: shard = floorMod(hash, slots) /
 * slotsPerShard (OpenSearch's {@code OperationRouting.calculateScaledShardId}, with {@code
 * index.number_of_routing_shards} slots). Splitting and shrinking an index changes the number of
 * slots of a shard, never their total, so that an id stays with the descendants of its shard.
 *
 * @param routingNumShards the number of routing shards
 * @param routingFactor the routing factor
 */
public record RoutingHashLayout(int routingNumShards, int routingFactor) {
  /** Checks that every shard has the same number of slots. */
  public RoutingHashLayout {
    if (routingNumShards < 1 || routingFactor < 1 || routingNumShards % routingFactor != 0) {
      throw new IllegalArgumentException(
          "got "
              + routingNumShards
              + " routing shards, "
              + routingFactor
              + " a shard (expected: at least one, a multiple of those a shard has)");
    }
  }

  public int numberOfShards() {
    return routingNumShards / routingFactor;
  }

  /** Returns the shard of a hash. */
  public int shardOf(int hash) {
    return Math.floorMod(hash, routingNumShards) / routingFactor;
  }
}
