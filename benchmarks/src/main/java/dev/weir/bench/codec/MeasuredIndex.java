package dev.weir.bench.codec;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Loads the same documents into an index of one shard, with one codec after the other. Each sixth
 * of the documents is refreshed, so that there are segments to merge. Confined to one thread.
 */
final class MeasuredIndex {
  private static final String INDEX = "codec";
  private static final int BULK = 1000;
  private static final int DOCUMENTS_OF_A_FETCH = 50;
  private static final int REFRESHES = 6;
  private static final Pattern FILE =
      Pattern.compile("\"(?:fdt|fdx|fdm|wzd)\":\\{\"size_in_bytes\":(\\d+)");

  private final DataNode node;
  private final DocumentKind kind;
  private final int documents;
  private final int fetches;

  MeasuredIndex(DataNode node, DocumentKind kind, int documents, int fetches) {
    this.node = node;
    this.kind = kind;
    this.documents = documents;
    this.fetches = fetches;
  }

  CodecMeasurement measure(String codec) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", node.httpPort());
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(address)) {
      create(connection, codec);
      double load = cpuSeconds(() -> load(connection));
      double merge =
          cpuSeconds(() -> {
            post(connection, "_forcemerge?max_num_segments=1&flush=true", "");
            post(connection, "_refresh", "");
          });
      double stored = storedBytes(connection);
      fetch(connection, new double[Math.max(1, fetches / 4)]);
      double[] millis = new double[fetches];
      double cpu = cpuSeconds(() -> fetch(connection, millis));
      Arrays.sort(millis);
      send(connection, Workload.request("DELETE", "/" + INDEX, ""));
      return new CodecMeasurement(
          stored,
          load,
          merge,
          millis[millis.length / 2],
          millis[millis.length * 99 / 100],
          cpu * 1e6 / fetches / DOCUMENTS_OF_A_FETCH);
    }
  }

  /** Work that may fail. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private double cpuSeconds(Work work) throws IOException {
    long before = ProcessUsage.read(node.pid()).cpuNanos();
    work.run();
    return (ProcessUsage.read(node.pid()).cpuNanos() - before) / 1e9;
  }

  private void create(BlockingHttpConnection connection, String codec) throws IOException {
    String body =
        """
        {"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1",
                      "index.codec": "%s", "index.translog.durability": "async",
                      "index.merge.policy.segments_per_tier": 50},
         "mappings": {"properties": %s}}\
        """
            .formatted(codec, kind.properties());
    send(connection, Workload.request("PUT", "/" + INDEX, body));
  }

  private void load(BlockingHttpConnection connection) throws IOException {
    int refresh = Math.max(BULK, documents / REFRESHES / BULK * BULK);
    for (int from = 0; from < documents; from += BULK) {
      StringBuilder body = new StringBuilder();
      for (int i = from; i < Math.min(documents, from + BULK); i++) {
        body.append("{\"index\":{\"_id\":\"").append(i).append("\"}}\n");
        body.append(kind.document(i)).append('\n');
      }
      post(connection, "_bulk?filter_path=errors", body.toString());
      if (!connection.body().contains("\"errors\":false")) {
        throw new IllegalStateException("got " + connection.body() + " for a bulk of " + kind);
      }
      if ((from + BULK) % refresh == 0) {
        post(connection, "_refresh", "");
      }
    }
    post(connection, "_flush", "");
  }

  private static double storedBytes(BlockingHttpConnection connection) throws IOException {
    String path =
        "/_stats/segments?include_segment_file_sizes=true&filter_path=_all.primaries.**.file_sizes";
    send(connection, Workload.request("GET", "/" + INDEX + path, ""));
    double bytes = 0;
    Matcher file = FILE.matcher(connection.body());
    while (file.find()) {
      bytes += Double.parseDouble(file.group(1));
    }
    return bytes;
  }

  /** Fetches random documents by their ids. */
  private void fetch(BlockingHttpConnection connection, double[] millis) throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < millis.length; i++) {
      String ids =
          random
              .ints(DOCUMENTS_OF_A_FETCH, 0, documents)
              .mapToObj(id -> "\"" + id + "\"")
              .collect(Collectors.joining(","));
      long began = System.nanoTime();
      post(connection, "_mget?filter_path=docs._source", "{\"ids\":[" + ids + "]}");
      millis[i] = (System.nanoTime() - began) / 1e6;
    }
  }

  private static void post(BlockingHttpConnection connection, String path, String body)
      throws IOException {
    send(
        connection, Workload.post("/" + INDEX + "/" + path, body.getBytes(StandardCharsets.UTF_8)));
  }

  private static void send(BlockingHttpConnection connection, byte[] request) throws IOException {
    int status = connection.exchange(request);
    if (status >= 300) {
      throw new IllegalStateException("got status " + status + ": " + connection.error());
    }
  }
}
