package dev.weir.routing.write;

/**
 * How an index's shards divide the hashes of routing values: shard = floorMod(hash, slots) /
 * slotsPerShard (OpenSearch's {@code OperationRouting.calculateScaledShardId}, with {@code
 * index.number_of_routing_shards} slots). Splitting and shrinking an index changes how many slots a
 * shard has, never their number, so an id stays with the descendants of its shard.
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

  /** How many shards there are. */
  public int numberOfShards() {
    return routingNumShards / routingFactor;
  }

  /** The shard that a hash belongs to. */
  public int shardOf(int hash) {
    return Math.floorMod(hash, routingNumShards) / routingFactor;
  }
}
