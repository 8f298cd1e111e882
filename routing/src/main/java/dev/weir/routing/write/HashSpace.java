package dev.weir.routing.write;

/**
 * How an index's shards divide the hashes of routing values: shard = floorMod(hash, slots) /
 * slotsPerShard (OpenSearch's {@code OperationRouting.calculateScaledShardId}, with {@code
 * index.number_of_routing_shards} slots). Splitting and shrinking an index changes how many slots a
 * shard has, never their number, so an id stays with the descendants of its shard.
 *
 * @param slots the number of routing shards
 * @param slotsPerShard the routing factor
 */
public record HashSpace(int slots, int slotsPerShard) {
  /** Checks that every shard has the same number of slots. */
  public HashSpace {
    if (slots < 1 || slotsPerShard < 1 || slots % slotsPerShard != 0) {
      throw new IllegalArgumentException(
          "got "
              + slots
              + " routing shards, "
              + slotsPerShard
              + " a shard (expected: at least one, a multiple of those a shard has)");
    }
  }

  /** How many shards there are. */
  public int shards() {
    return slots / slotsPerShard;
  }

  /** The shard that a hash belongs to. */
  public int shardOf(int hash) {
    return Math.floorMod(hash, slots) / slotsPerShard;
  }
}
