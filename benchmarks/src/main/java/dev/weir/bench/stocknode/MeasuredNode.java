package dev.weir.bench.stocknode;

import dev.weir.bench.ProcessUsage;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.hostile.ProcessFootprint;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A node, and what its process takes for work by REST. Confined to one thread. */
final class MeasuredNode implements AutoCloseable {
  private static final int BULK = 2000;

  private final DataNode node;
  private final RestClient rest;
  private final int collections;

  /**
   * Measures a node.
   *
   * @param collections of garbage, for each figure of the heap; at least 1
   */
  MeasuredNode(DataNode node, int collections) {
    this.node = node;
    this.collections = collections;
    this.rest = new RestClient(node.httpUri());
  }

  /** Sends a request, which must succeed; returns the body of the response. */
  String send(String method, String path, String json) {
    return rest.send(method, path, json).orThrow().body();
  }

  /** Creates an index of one shard without replicas, which is refreshed only when told. */
  void create(String index, String settings, String properties) {
    send(
        "PUT",
        "/" + index + "?wait_for_active_shards=all",
        """
        {"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1",
                      "translog.durability": "async" %s},
         "mappings": {"properties": {%s}}}
        """
            .formatted(settings.isEmpty() ? "" : ", " + settings, properties));
  }

  void delete(String index) {
    send("DELETE", "/" + index, "");
  }

  /**
   * Indexes documents.
   *
   * @param document JSON on one line, by its number
   */
  void load(String index, int from, int to, IntFunction<String> document) {
    for (int start = from; start < to; start += BULK) {
      StringBuilder lines = new StringBuilder();
      for (int i = start; i < Math.min(to, start + BULK); i++) {
        lines.append("{\"index\":{}}\n").append(document.apply(i)).append('\n');
      }
      String body =
          rest.bulk(
                  "/" + index + "/_bulk?filter_path=errors",
                  lines.toString().getBytes(StandardCharsets.UTF_8))
              .orThrow()
              .body();
      if (!body.contains("\"errors\":false")) {
        throw new IllegalStateException("got " + body + " for a bulk (expected: no errors)");
      }
    }
  }

  /** Makes what was indexed a segment of its own, and writes it to disk. */
  void endSegment(String index) {
    send("POST", "/" + index + "/_refresh", "");
    send("POST", "/" + index + "/_flush", "");
  }

  void forceMerge(String index) {
    send("POST", "/" + index + "/_forcemerge?max_num_segments=1&flush=true", "");
    send("POST", "/" + index + "/_refresh", "");
  }

  /** Returns the bytes of heap in use after a collection, the least of all collections. */
  long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < collections; i++) {
      least = Math.min(least, ProcessFootprint.usedHeapAfterCollection(node.pid()));
    }
    return least;
  }

  /** Returns the milliseconds of CPU that the node's process takes for work. */
  double cpuMillis(Runnable work) {
    long before = ProcessUsage.read(node.pid()).cpuNanos();
    work.run();
    return (ProcessUsage.read(node.pid()).cpuNanos() - before) / 1e6;
  }

  /** Returns the median of the milliseconds that a piece of work takes. */
  static double medianMillis(int times, Runnable work) {
    double[] millis = new double[times];
    for (int i = 0; i < times; i++) {
      long began = System.nanoTime();
      work.run();
      millis[i] = (System.nanoTime() - began) / 1e6;
    }
    Arrays.sort(millis);
    return millis[times / 2];
  }

  /** Returns the number after the first match of a key in JSON. */
  static long number(String json, String key) {
    Matcher found = Pattern.compile("\"" + Pattern.quote(key) + "\"\\s*:\\s*(\\d+)").matcher(json);
    if (!found.find()) {
      throw new IllegalStateException("got " + json + " (expected: a number " + key + ")");
    }
    return Long.parseLong(found.group(1));
  }

  @Override
  public void close() {
    rest.close();
  }
}
