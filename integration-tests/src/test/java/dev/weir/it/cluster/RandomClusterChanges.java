package dev.weir.it.cluster;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Changes the state of a real cluster at random, as clients do. Confined to one thread. */
final class RandomClusterChanges {
  private final RestClient rest;
  private final Random random;
  private final List<String> indices = new ArrayList<>();
  private int created;

  RandomClusterChanges(RestClient rest, Random random) {
    this.rest = rest;
    this.random = random;
  }

  /** Makes one change; some are no changes, or fail. */
  void next(List<DataNode> nodes) {
    if (indices.size() < 3) {
      createIndex();
      return;
    }
    String index = indices.get(random.nextInt(indices.size()));
    switch (random.nextInt(14)) {
      case 0, 1 -> createIndex();
      case 2 -> {
        indices.remove(index);
        send("DELETE", "/" + index, "");
      }
      case 3 -> {
        send("DELETE", "/" + index, "");
        create(index); // another index of the same name
      }
      case 4 ->
          send(
              "PUT",
              "/" + index + "/_mapping",
              "{\"properties\":{\"f" + random.nextInt(50) + "\":{\"type\":\"keyword\"}}}");
      case 5 -> alias("add", index);
      case 6 -> alias("remove", index);
      case 7 ->
          send(
              "PUT",
              "/" + index + "/_settings",
              "{\"index.refresh_interval\":\"" + (1 + random.nextInt(60)) + "s\"}");
      case 8 ->
          send(
              "PUT",
              "/" + index + "/_settings",
              "{\"index.number_of_replicas\":" + random.nextInt(2) + "}");
      case 9 -> send("POST", "/" + index + (random.nextBoolean() ? "/_close" : "/_open"), "");
      case 10 -> template();
      case 11 ->
          send(
              "PUT",
              "/_cluster/settings",
              "{\"persistent\":{\"search.max_buckets\":" + (1 + random.nextInt(9999)) + "}}");
      case 12 -> stream();
      default -> move(index, nodes);
    }
  }

  private void createIndex() {
    String name = "random-" + created++;
    indices.add(name);
    create(name);
  }

  private void create(String name) {
    send(
        "PUT",
        "/" + name + "?wait_for_active_shards=0",
        "{\"settings\":{\"number_of_shards\":"
            + (1 + random.nextInt(3))
            + ",\"number_of_replicas\":"
            + random.nextInt(2)
            + "}}");
  }

  private void alias(String action, String index) {
    send(
        "POST",
        "/_aliases",
        "{\"actions\":[{\"%s\":{\"index\":\"%s\",\"alias\":\"alias-%d\"}}]}"
            .formatted(action, index, random.nextInt(5)));
  }

  private void template() {
    String kind = random.nextBoolean() ? "/_template/" : "/_index_template/";
    String name = kind + "template-" + random.nextInt(3);
    if (random.nextInt(3) == 0) {
      send("DELETE", name, "");
    } else {
      String patterns = "\"index_patterns\":[\"t" + random.nextInt(99) + "-*\"]";
      send("PUT", name, "{" + patterns + "}");
    }
  }

  private void stream() {
    send(
        "PUT",
        "/_index_template/streams",
        "{\"index_patterns\":[\"stream-*\"],\"priority\":900,\"data_stream\":{}}");
    String name = "stream-" + random.nextInt(3);
    send(random.nextBoolean() ? "PUT" : "DELETE", "/_data_stream/" + name, "");
    send("POST", "/" + name + "/_rollover", "");
  }

  private void move(String index, List<DataNode> nodes) {
    for (DataNode from : nodes) {
      DataNode to = nodes.get(random.nextInt(nodes.size()));
      send(
          "POST",
          "/_cluster/reroute?metric=none",
          "{\"commands\":[{\"move\":{\"index\":\"%s\",\"shard\":0,\"from_node\":\"%s\",\"to_node\":\"%s\"}}]}"
              .formatted(index, from.name(), to.name()));
    }
  }

  private void send(String method, String path, String body) {
    rest.send(method, path, body);
  }
}
