package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin's codec through the life of an index on two nodes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 3)
class ZstdCodecIT {
  private static final int DOCUMENTS = 3000;
  private static final String DICTIONARY_FILE = "\"wzd\"";

  private final DataNodeCluster nodes =
      DataNodeCluster.start(ClusterSpec.ofNodes(2, PluginPlacement.ALL).withName("weir-zstd"));
  private final RestClient rest = nodes.rest();

  @AfterAll
  void close() {
    nodes.close();
  }

  private static String document(int number) {
    byte[] id = new byte[8];
    new Random(number).nextBytes(id);
    return "{\"n\":%d,\"host\":\"web-%d.example.net\",\"trace\":\"%s\",\"text\":\"connection %d refused by upstream\"}"
        .formatted(number, number % 37, HexFormat.of().formatHex(id), number % 911);
  }

  private void create(String index, String codec, String more) {
    send(
        "PUT",
        "/" + index,
        """
        {"settings": {"index.codec": "%s", "number_of_shards": 1, "number_of_replicas": 1%s},
         "mappings": {"properties": {"n": {"type": "integer"}, "host": {"type": "keyword"}}}}\
        """
            .formatted(codec, more));
  }

  private RestReply send(String method, String path, String body) {
    return (body.isEmpty() ? rest.send(method, path) : rest.send(method, path, body)).orThrow();
  }

  private void load(String index, int from, int to) {
    String lines =
        IntStream.range(from, to)
            .mapToObj(n -> "{\"index\":{\"_id\":\"" + n + "\"}}\n" + document(n) + "\n")
            .collect(Collectors.joining());
    assertThat(rest.bulk("/" + index + "/_bulk", lines.getBytes(StandardCharsets.UTF_8)).body())
        .contains("\"errors\":false");
    send("POST", "/" + index + "/_flush", "");
  }

  /** Requires the documents of both copies, each read on its own node. */
  private void expect(String index, int from, int to) {
    nodes.awaitGreen();
    send("POST", "/" + index + "/_refresh", "");
    String sources =
        IntStream.range(from, to)
            .mapToObj(n -> "{\"_source\":" + document(n) + "}")
            .collect(Collectors.joining(",", "{\"hits\":{\"hits\":[", "]}}"));
    for (DataNode node : nodes.nodes().subList(0, 2)) {
      try (RestClient client = new RestClient(node.httpUri())) {
        String path =
            "/"
                + index
                + "/_search?preference=_only_local&size=5000&sort=n"
                + "&filter_path=hits.hits._source";
        assertThat(client.send("GET", path).orThrow().body()).isEqualTo(sources);
      }
    }
  }

  private String files(String index) {
    return send(
            "GET",
            "/" + index + "/_stats/segments?include_segment_file_sizes=true&level=shards",
            "")
        .body();
  }

  private void merge(String index) {
    send("POST", "/" + index + "/_forcemerge?max_num_segments=1", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"weir_zstd", "weir_zstd_32k"})
  void keepDocumentsThroughMergesRecoveriesAndSnapshots(String codec) {
    String index = "life-" + codec;
    create(index, codec, ", \"index.codec.compression_level\": 2");
    load(index, 0, DOCUMENTS / 2);
    load(index, DOCUMENTS / 2, DOCUMENTS + 100);
    send("POST", "/" + index + "/_refresh", "");
    send(
        "POST",
        "/" + index + "/_delete_by_query?refresh=true",
        "{\"query\":{\"range\":{\"n\":{\"gte\":" + DOCUMENTS + "}}}}");
    expect(index, 0, DOCUMENTS);
    assertThat(files(index)).contains(DICTIONARY_FILE);

    merge(index);
    expect(index, 0, DOCUMENTS);

    send("PUT", "/" + index + "/_settings", "{\"number_of_replicas\":0}");
    send("PUT", "/" + index + "/_settings", "{\"number_of_replicas\":1}");
    expect(index, 0, DOCUMENTS);

    String repository = "/_snapshot/" + codec;
    send(
        "PUT",
        repository,
        "{\"type\":\"fs\",\"settings\":{\"location\":\""
            + nodes.repositories()
            + "/"
            + codec
            + "\"}}");
    send("PUT", repository + "/one?wait_for_completion=true", "{\"indices\":\"" + index + "\"}");
    send("DELETE", "/" + index, "");
    send(
        "POST",
        repository + "/one/_restore?wait_for_completion=true",
        "{\"indices\":\"" + index + "\"}");
    expect(index, 0, DOCUMENTS);
    assertThat(files(index)).contains(DICTIONARY_FILE);
  }

  @Test
  void keepASortedIndex() {
    create("sorted", "weir_zstd", ", \"index.sort.field\": \"n\", \"index.sort.order\": \"desc\"");
    load("sorted", 0, DOCUMENTS / 2);
    load("sorted", DOCUMENTS / 2, DOCUMENTS);
    merge("sorted");

    expect("sorted", 0, DOCUMENTS);
    assertThat(files("sorted")).contains(DICTIONARY_FILE);
  }

  @Test
  void keepAnIndexWithAStarTree() {
    send(
        "PUT",
        "/star",
        """
        {"settings": {"index.codec": "weir_zstd", "number_of_shards": 1, "number_of_replicas": 1,
                      "index.composite_index": true, "index.append_only.enabled": true},
         "mappings": {
           "composite": {"hosts": {"type": "star_tree", "config": {
             "ordered_dimensions": [{"name": "host"}, {"name": "code"}],
             "metrics": [{"name": "n", "stats": ["sum", "value_count"]}]}}},
           "properties": {"n": {"type": "integer"}, "code": {"type": "integer"},
                          "host": {"type": "keyword"}}}}\
        """);
    String lines =
        IntStream.range(0, DOCUMENTS)
            .mapToObj(n -> "{\"index\":{}}\n" + document(n) + "\n")
            .collect(Collectors.joining());
    for (int round = 0; round < 2; round++) {
      assertThat(
              rest.bulk("/star/_bulk?refresh=true", lines.getBytes(StandardCharsets.UTF_8)).body())
          .contains("\"errors\":false");
    }
    merge("star");
    nodes.awaitGreen();

    String sum =
        send(
                "POST",
                "/star/_search?size=1&filter_path=aggregations,hits.hits._source",
                "{\"aggs\":{\"sum\":{\"sum\":{\"field\":\"n\"}}}}")
            .body();
    long expected = (long) DOCUMENTS * (DOCUMENTS - 1);
    assertThat(sum).contains("\"value\":" + (double) expected).contains("web-");
    assertThat(files("star")).contains(DICTIONARY_FILE);
  }

  /** What the documents tell an operator who goes back to a stock codec, or comes from one. */
  @Test
  void changeTheCodecOfAnIndex() {
    create("changed", "default", "");
    load("changed", 0, DOCUMENTS);
    assertThat(files("changed")).doesNotContain(DICTIONARY_FILE);
    for (String codec : new String[] {"weir_zstd", "best_compression"}) {
      send("POST", "/changed/_close", "");
      send("PUT", "/changed/_settings", "{\"index.codec\":\"" + codec + "\"}");
      send("POST", "/changed/_open", "");
      nodes.awaitGreen();
      load("changed", 0, 1);
      merge("changed");
      send("POST", "/changed/_flush", "");
      send("POST", "/changed/_refresh", "");

      expect("changed", 0, DOCUMENTS);
      if (codec.equals("weir_zstd")) {
        assertThat(files("changed")).contains(DICTIONARY_FILE);
      } else {
        assertThat(files("changed")).doesNotContain(DICTIONARY_FILE);
      }
    }
  }

  @Test
  void rejectACodecThatNoPluginHas() {
    RestReply reply = rest.send("PUT", "/unknown", "{\"settings\":{\"index.codec\":\"weir_zst\"}}");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("unknown value for [index.codec]");
  }
}
