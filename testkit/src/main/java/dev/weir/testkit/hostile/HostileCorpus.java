package dev.weir.testkit.hostile;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** All families of hostile requests. */
public final class HostileCorpus {
  private static final String INDEX_BODY =
      """
      {"settings": {"number_of_shards": 2, "number_of_replicas": 0},
       "mappings": {"properties": {"n": {"type": "integer"}, "t": {"type": "text"},
         "d": {"type": "date"}, "large": {"type": "keyword", "index": false, "doc_values": false}}}}
      """;

  private static final String UNALLOCATED_BODY =
      """
      {"settings": {"number_of_shards": 2, "number_of_replicas": 0,
         "routing.allocation.require._name": "none"}}
      """;

  private static final int SMALL_DOCUMENTS = 120;
  private static final int LARGE_DOCUMENTS = 40;
  private static final int LARGE_BYTES = 100_000;

  private HostileCorpus() {}

  /** Returns the requests that may be sent many at once: nodes bound what they cost there. */
  public static List<HostileRequest> requests() {
    return Stream.of(
            MultiItemRequests.all(),
            QueryShapeRequests.all(),
            OddBodyRequests.all(),
            OversizedHeadRequests.all(),
            CompressedRequests.all())
        .flatMap(List::stream)
        .toList();
  }

  /** Returns the requests with scripts; a node with a heap of 512 MB survives two at once. */
  public static List<HostileRequest> scripts() {
    return ScriptRequests.all();
  }

  /** Creates the indices that the requests and connections search. */
  public static void load(RestClient node) {
    load(node, HostileRequest.INDEX);
    node.send("PUT", "/" + HostileRequest.LARGE_INDEX, INDEX_BODY).orThrow();
    node.send(
            "PUT",
            "/" + HostileRequest.INDEX_WITHOUT_SHARDS + "?wait_for_active_shards=0",
            UNALLOCATED_BODY)
        .orThrow();
    String document = "{\"index\":{}}\n{\"n\":1,\"large\":\"" + "x".repeat(LARGE_BYTES) + "\"}\n";
    bulk(node, HostileRequest.LARGE_INDEX, document.repeat(LARGE_DOCUMENTS));
  }

  /** Creates one index with some small documents. */
  public static void load(RestClient node, String index) {
    node.send("PUT", "/" + index, INDEX_BODY).orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < SMALL_DOCUMENTS; i++) {
      lines.append("{\"index\":{\"_id\":\"").append(i).append("\"}}\n");
      lines.append("{\"n\":").append(i).append(",\"t\":\"word").append(i).append("\"}\n");
    }
    bulk(node, index, lines.toString());
  }

  /** Deletes the indices that {@link #load(RestClient)} creates. */
  public static void delete(RestClient node) {
    node.send("DELETE", "/" + HostileRequest.INDEX);
    node.send("DELETE", "/" + HostileRequest.LARGE_INDEX);
    node.send("DELETE", "/" + HostileRequest.INDEX_WITHOUT_SHARDS);
  }

  private static void bulk(RestClient node, String index, String lines) {
    byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
    node.bulk("/" + index + "/_bulk?refresh=true&filter_path=errors", bytes).orThrow();
  }
}
