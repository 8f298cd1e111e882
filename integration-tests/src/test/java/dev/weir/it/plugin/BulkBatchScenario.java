package dev.weir.it.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The same bulks through the gateway and at a node, into two indices of 30 shards that differ in
 * their names only.
 */
final class BulkBatchScenario {
  private static final String THROUGH_GATEWAY = "bulked-a";
  private static final String AT_NODE = "bulked-b";
  private static final int DOCUMENTS = 200;

  /** Beside each of them: one that is closed, one without writes. */
  private static final String CLOSED = "-closed";

  private static final String BLOCKED = "-blocked";

  private final DataNodeCluster nodes;
  private final TestBed bed;

  BulkBatchScenario(DataNodeCluster nodes, TestBed bed) {
    this.nodes = nodes;
    this.bed = bed;
  }

  /** Compares the answers, and the documents at the end. */
  void run(int shards) {
    create(THROUGH_GATEWAY, shards);
    create(AT_NODE, shards);
    compare("", bulk(n -> "{'index':{'_id':'%d'}}\n{'n':%d,'key':'k%d'}\n".formatted(n, n, n)));
    compare(
        "?refresh=true",
        bulk(n -> "{'create':{'_id':'%d'}}\n{'n':%d}\n".formatted(n + DOCUMENTS / 2, n)));
    compare("?refresh=wait_for&wait_for_active_shards=2", bulk(BulkBatchScenario::mixed));
    compare("?timeout=30s&_source=true", bulk(BulkBatchScenario::update));
    compare("?wait_for_active_shards=3&timeout=100ms", bulk(BulkBatchScenario::mixed));
    assertThat(documents(bed.rest(), THROUGH_GATEWAY)).isEqualTo(documents(nodes.rest(), AT_NODE));
  }

  private void create(String index, int shards) {
    String settings =
        "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":%d},\"mappings\":{\"dynamic\":\"strict\",\"properties\":{\"n\":{\"type\":\"long\"},\"key\":{\"type\":\"keyword\"}}}}";
    RestClient rest = nodes.rest();
    String wait = "?wait_for_active_shards=all";
    rest.send("PUT", "/" + index + wait, settings.formatted(shards, 1)).orThrow();
    for (String other : List.of(CLOSED, BLOCKED)) {
      rest.send("PUT", "/" + index + other + wait, settings.formatted(1, 0)).orThrow();
    }
    rest.send("POST", "/" + index + CLOSED + "/_close").orThrow();
    rest.send("PUT", "/" + index + BLOCKED + "/_block/write").orThrow();
  }

  private static String bulk(IntFunction<String> items) {
    return IntStream.range(0, DOCUMENTS)
        .mapToObj(items)
        .collect(Collectors.joining())
        .replace('\'', '"');
  }

  /** Writes of all kinds, of which many fail, also for a whole index. */
  private static String mixed(int n) {
    return switch (n % 12) {
      case 0 -> "{'delete':{'_id':'%d'}}\n".formatted(n);
      case 1 -> "{'delete':{'_id':'missing-%d'}}\n".formatted(n);
      case 2 ->
          "{'index':{'_id':'%d','if_seq_no':%d,'if_primary_term':1}}\n{'n':1}\n"
              .formatted(n, n % 24 == 2 ? 0 : 1000);
      case 3 ->
          "{'index':{'_id':'%d','version':%d,'version_type':'external'}}\n{'n':1}\n"
              .formatted(n, n % 24);
      case 4 -> "{'index':{'_id':'%d'}}\n{'n':'no number'}\n".formatted(n);
      case 5 -> "{'index':{'_id':'%d'}}\n{'unknown':1}\n".formatted(n);
      case 6 -> "{'index':{'_index':'INDEX-closed','_id':'%d'}}\n{'n':1}\n".formatted(n);
      case 7 -> "{'index':{'_index':'INDEX-blocked','_id':'%d'}}\n{'n':1}\n".formatted(n);
      case 8 -> "{'index':{'_index':'missing','require_alias':true}}\n{'n':1}\n";
      case 9 -> "{'delete':{'_index':'bulked-missing','_id':'%d'}}\n".formatted(n);
      default -> "{'index':{'_id':'new-%d','routing':'r%d'}}\n{'n':%d}\n".formatted(n, n, n);
    };
  }

  private static String update(int n) {
    return switch (n % 5) {
      case 0 -> "{'update':{'_id':'%d'}}\n{'doc':{'key':'changed'}}\n".formatted(n);
      case 1 -> "{'update':{'_id':'%d'}}\n{'doc':{'n':%d}}\n".formatted(n, n);
      case 2 -> "{'update':{'_id':'up-%d'}}\n{'doc':{'n':1},'doc_as_upsert':true}\n".formatted(n);
      case 3 -> "{'update':{'_id':'missing-%d'}}\n{'doc':{'n':1}}\n".formatted(n);
      default ->
          "{'update':{'_id':'%d'}}\n{'script':{'source':'ctx._source.n += 1'}}\n".formatted(n);
    };
  }

  private void compare(String parameters, String items) {
    String got = answer(bed.rest(), THROUGH_GATEWAY, parameters, items);
    String expected = answer(nodes.rest(), AT_NODE, parameters, items);
    assertThat(got).as("bulk with %s", parameters).isEqualTo(expected);
  }

  private String answer(RestClient to, String index, String parameters, String items) {
    byte[] body = items.replace("INDEX", index).getBytes(UTF_8);
    RestReply reply = to.bulk("/" + index + "/_bulk" + parameters, body);
    String text = reply.status() + " " + reply.body().replaceFirst("\"took\":\\d+", "");
    for (String other : List.of(CLOSED, BLOCKED, "")) {
      text = text.replace(uuid(index + other), "UUID");
    }
    return text.replace(index, "INDEX");
  }

  private String uuid(String index) {
    JsonResponse settings =
        JsonResponse.of(
            nodes
                .rest()
                .send("GET", "/" + index + "/_settings?expand_wildcards=all&flat_settings=false"));
    return settings.text(index + ".settings.index.uuid");
  }

  private static List<String> documents(RestClient of, String index) {
    of.send("POST", "/" + index + "/_refresh").orThrow();
    JsonResponse found =
        JsonResponse.of(
            of.send(
                "POST",
                "/" + index + "/_search",
                "{\"size\":2000,\"version\":true,\"seq_no_primary_term\":true}"));
    return found.objects("hits.hits").stream()
        .map(hit -> hit.toString().replace(index, "INDEX"))
        .sorted()
        .toList();
  }

  private static byte[] documents(int count) {
    return IntStream.range(0, count)
        .mapToObj(n -> "{\"index\":{\"_id\":\"m%d\"}}\n{\"n\":%d}\n".formatted(n, n))
        .collect(Collectors.joining())
        .getBytes(UTF_8);
  }

  /** Sends the bulk of a count of messages; all documents have to be written. */
  void writeAll() {
    RestReply reply =
        bed.rest().bulk("/" + THROUGH_GATEWAY + "/_bulk", documents(DOCUMENTS)).orThrow();
    assertThat(JsonResponse.of(reply).at("errors")).isEqualTo(false);
  }
}
