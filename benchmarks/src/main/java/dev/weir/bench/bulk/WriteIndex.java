package dev.weir.bench.bulk;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;

/**
 * Makes and removes the indices that are written to.
 *
 * @param replicas of each shard
 * @param refresh how often what was written can be searched, as OpenSearch takes it
 */
record WriteIndex(DataNodeCluster cluster, int replicas, String refresh) {
  /** Begins the names of those whose bulks go to one shard each. */
  static final String SINGLE_SHARD_INDEX = "directed-";

  /** Begins the names of the others. */
  static final String MULTI_SHARD_INDEX = "plain-";

  void create(String name, int shards) {
    rest()
        .send(
            "PUT",
            "/" + name,
            "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":%d,\"refresh_interval\":\"%s\"},\"mappings\":%s}"
                .formatted(shards, replicas, refresh, LogLines.MAPPING))
        .orThrow();
    cluster.awaitGreen();
  }

  void delete(String name) {
    rest().send("DELETE", "/" + name).orThrow();
  }

  /** Lets all that was written be searched. */
  void refresh(String name) {
    rest().send("POST", "/" + name + "/_refresh").orThrow();
  }

  private RestClient rest() {
    return cluster.rest();
  }
}
