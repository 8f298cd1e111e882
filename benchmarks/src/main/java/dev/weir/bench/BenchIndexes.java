package dev.weir.bench;

import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The indices that benchmarks search and write: three shards each with one replica, unless
 * specified.
 */
public final class BenchIndexes {
  private static final int CHUNK = 1000;
  private static final Layout DEFAULT = new Layout(3, 1);
  private static final Pattern COUNT = Pattern.compile("\"count\":(\\d+)");

  private static final String MAPPINGS =
      "{\"properties\":{\"number\":{\"type\":\"long\"},\"group\":{\"type\":\"keyword\"},"
          + "\"at\":{\"type\":\"date\"},\"text\":{\"type\":\"text\"}}}";

  private BenchIndexes() {}

  /**
   * The shards of each index.
   *
   * @param indexesWrites whether nodes index the fields of what is written, or store it only, which
   *     costs them a fraction of the CPU
   */
  public record Layout(int shards, int replicas, boolean indexesWrites) {
    public Layout(int shards, int replicas) {
      this(shards, replicas, true);
    }
  }

  /**
   * Creates both indices with one replica, and fills the one for searches with documents of about 1
   * KB.
   */
  public static void load(InetSocketAddress address, int documents) throws IOException {
    load(address, documents, DEFAULT);
  }

  /** Creates both indices, and fills the one for searches. */
  public static void load(InetSocketAddress address, int documents, Layout layout)
      throws IOException {
    try (BlockingHttpConnection connection = new BlockingHttpConnection(address)) {
      create(connection, Workload.SEARCH_INDEX, layout, MAPPINGS);
      Random random = new Random(1);
      for (int from = 0; from < documents; from += CHUNK) {
        StringBuilder body = new StringBuilder();
        for (int i = from; i < Math.min(documents, from + CHUNK); i++) {
          body.append("{\"index\":{}}\n").append(Workload.generateDocument(random, i)).append('\n');
        }
        expect(connection, Workload.post("/" + Workload.SEARCH_INDEX + "/_bulk", body.toString()));
      }
      expect(
          connection,
          Workload.post("/" + Workload.SEARCH_INDEX + "/_forcemerge?max_num_segments=1", ""));
      expect(connection, Workload.post("/" + Workload.SEARCH_INDEX + "/_refresh", ""));
      createWriteIndex(connection, layout);
    }
  }

  /** Deletes the index for writes and creates it again, empty. */
  public static void emptyWriteIndex(InetSocketAddress address, Layout layout) throws IOException {
    try (BlockingHttpConnection connection = new BlockingHttpConnection(address)) {
      expect(connection, Workload.request("DELETE", "/" + Workload.WRITE_INDEX, ""));
      createWriteIndex(connection, layout);
    }
  }

  /** Returns the number of documents in an index, those written last included. */
  public static long count(RestClient rest, String index) {
    rest.send("POST", "/" + index + "/_refresh").orThrow();
    String body = rest.send("GET", "/" + index + "/_count").orThrow().body();
    Matcher count = COUNT.matcher(body);
    if (!count.find()) {
      throw new IllegalStateException("got " + body + " (expected: a count of " + index + ")");
    }
    return Long.parseLong(count.group(1));
  }

  private static void createWriteIndex(BlockingHttpConnection connection, Layout layout)
      throws IOException {
    String mappings = layout.indexesWrites ? MAPPINGS : "{\"enabled\":false}";
    create(connection, Workload.WRITE_INDEX, layout, mappings);
  }

  private static void create(
      BlockingHttpConnection connection, String name, Layout layout, String mappings)
      throws IOException {
    String body =
        "{\"settings\":{\"number_of_shards\":"
            + layout.shards
            + ",\"number_of_replicas\":"
            + layout.replicas
            + ",\"refresh_interval\":\"5s\"},\"mappings\":"
            + mappings
            + "}";
    expect(connection, Workload.request("PUT", "/" + name + "?wait_for_active_shards=all", body));
  }

  private static void expect(BlockingHttpConnection connection, byte[] request) throws IOException {
    int status = connection.exchange(request);
    if (status >= 300) {
      throw new IllegalStateException("got status " + status + " (expected: 200) while preparing");
    }
  }
}
