package dev.weir.bench.responses;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.Workload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Random;

/** Two indices with three shards each: one with five small fields in a document, one with sixty. */
final class ResponseIndexes {
  static final String NARROW = "bench-narrow";
  static final String WIDE = "bench-wide";

  private static final int CHUNK = 1000;
  private static final int GROUPS = 12;

  private ResponseIndexes() {}

  /** Creates and fills both indices. */
  static void load(InetSocketAddress address, int documents) throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(address)) {
      StringBuilder wide = new StringBuilder();
      for (int i = 0; i < GROUPS; i++) {
        wide.append(wide.isEmpty() ? "" : ",").append(mapping("_" + i));
      }
      create(connection, NARROW, mapping(""));
      create(connection, WIDE, wide.toString());
      fill(connection, NARROW, 1, documents);
      fill(connection, WIDE, GROUPS, documents / 5);
    }
  }

  /** Creates an index of small documents with three shards and no replicas. */
  static void loadNarrow(BlockingHttpConnection connection, String name, int documents)
      throws IOException {
    String body =
        "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":0,\"refresh_interval\":-1},"
            + "\"mappings\":{\"properties\":{"
            + mapping("")
            + "}}}";
    expect(connection, Workload.request("PUT", "/" + name, body));
    fill(connection, name, 1, documents);
  }

  private static String mapping(String suffix) {
    return """
    "at%1$s":{"type":"date"},"host%1$s":{"type":"keyword"},"status%1$s":{"type":"integer"},\
    "bytes%1$s":{"type":"long"},"took%1$s":{"type":"double"}\
    """
        .formatted(suffix);
  }

  private static void create(BlockingHttpConnection connection, String name, String mappings)
      throws IOException {
    String body =
        "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":1},\"mappings\":{\"properties\":{"
            + mappings
            + "}}}";
    expect(connection, Workload.request("PUT", "/" + name + "?wait_for_active_shards=all", body));
  }

  private static void fill(
      BlockingHttpConnection connection, String name, int groups, int documents)
      throws IOException {
    Random random = new Random(groups);
    for (int from = 0; from < documents; from += CHUNK) {
      StringBuilder body = new StringBuilder();
      for (int i = from; i < Math.min(documents, from + CHUNK); i++) {
        body.append("{\"index\":{}}\n{");
        for (int group = 0; group < groups; group++) {
          body.append(group == 0 ? "" : ",")
              .append(fields(random, i, groups == 1 ? "" : "_" + group));
        }
        body.append("}\n");
      }
      expect(connection, Workload.request("POST", "/" + name + "/_bulk", body.toString()));
    }
    expect(
        connection, Workload.request("POST", "/" + name + "/_forcemerge?max_num_segments=1", ""));
    expect(connection, Workload.request("POST", "/" + name + "/_refresh", ""));
  }

  private static String fields(Random random, int number, String suffix) {
    return """
    "at%1$s":"2026-%2$02d-%3$02dT%4$02d:15:00.000Z","host%1$s":"web-%5$03d.example.org",\
    "status%1$s":%6$d,"bytes%1$s":%7$d,"took%1$s":%8$s\
    """
        .formatted(
            suffix,
            1 + number % 12,
            1 + number % 28,
            number % 24,
            random.nextInt(200),
            random.nextInt(10) == 0 ? 404 : 200,
            random.nextInt(1_000_000),
            random.nextInt(100_000) / 1000.0);
  }

  static void expect(BlockingHttpConnection connection, byte[] request) throws IOException {
    int status = connection.exchange(request);
    if (status >= 300) {
      throw new IllegalStateException(
          "got status " + status + " (expected: 200) while preparing: " + connection.body());
    }
  }
}
