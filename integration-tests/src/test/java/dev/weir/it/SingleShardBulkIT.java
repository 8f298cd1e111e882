package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Bulks of documents without ids: each bulk goes to one shard, and the returned ids find the
 * documents.
 */
class SingleShardBulkIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final int DOCUMENTS = 40;
  private static final Pattern CHANCE =
      Pattern.compile("\"(took|_seq_no|_id|_index)\":(\"[^\"]*\"|\\d+)");

  /** The indices whose bulks go to one shard. Only nodes with the plugin know the setting. */
  private static final List<String> STEERED =
      PluginPlacement.ofThisRun() == PluginPlacement.ALL
          ? List.of("single-shard-by-policy", "single-shard-by-setting")
          : List.of("single-shard-by-policy");

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "bulk: {single-shard: {indices: [\"single-shard-by-policy*\"], min-shards: 4}}");
    send("PUT", "/single-shard-not?wait_for_active_shards=all", settings(""));
    for (String name : STEERED) {
      String own =
          name.equals("single-shard-by-setting") ? ", \"index.bulk_routing.enabled\": true" : "";
      send("PUT", "/" + name + "?wait_for_active_shards=all", settings(own));
    }
  }

  private static String settings(String more) {
    return "{\"settings\": {\"number_of_shards\": 6, \"number_of_replicas\": 1" + more + "}}";
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/single-shard-*").orThrow();
    bed.assertNothingHeld();
    bed.close();
  }

  private static RestReply send(String method, String path, String body) {
    return NODES.rest().send(method, path, body).orThrow();
  }

  private static RestReply bulk(RestClient to, String index) {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < DOCUMENTS; n++) {
      lines.append(n % 2 == 0 ? "{\"index\":{}}\n" : "{\"create\":{}}\n");
      lines.append("{\"n\":").append(n).append("}\n");
    }
    return to.bulk("/" + index + "/_bulk?refresh=true", lines.toString().getBytes(UTF_8)).orThrow();
  }

  private static List<String> ids(RestReply bulk) {
    List<String> ids = new ArrayList<>();
    Matcher id = Pattern.compile("\"_id\":\"([^\"]+)\"").matcher(bulk.body());
    while (id.find()) {
      ids.add(id.group(1));
    }
    return ids;
  }

  /** Returns the number of shards of an index that have documents. */
  private static int shardsUsed(String index) {
    RestReply shards =
        NODES.rest().send("GET", "/_cat/shards/" + index + "?h=shard,prirep,docs").orThrow();
    Set<String> used = new HashSet<>();
    for (String line : shards.body().split("\n")) {
      String[] columns = line.trim().split("\\s+");
      if (columns[1].equals("p") && !columns[2].equals("0")) {
        used.add(columns[0]);
      }
    }
    return used.size();
  }

  @Test
  void sendABulkToOneShardAndAnswerLikeANode() {
    for (String index : STEERED) {
      RestReply answer = bulk(bed.rest(), index);
      assertThat(shardsUsed(index)).isEqualTo(1);
      RestReply nodes = bulk(NODES.rest(), "single-shard-not");
      assertThat(CHANCE.matcher(answer.body()).replaceAll("$1"))
          .isEqualTo(CHANCE.matcher(nodes.body()).replaceAll("$1"));
      assertThat(answer.body()).contains("\"_seq_no\":" + (DOCUMENTS - 1));

      List<String> ids = ids(answer);
      assertThat(ids).hasSize(DOCUMENTS).doesNotHaveDuplicates();
      for (int n = 0; n < DOCUMENTS; n++) {
        String path = "/" + index + "/_doc/" + ids.get(n);
        assertThat(NODES.rest().send("GET", path).orThrow().body())
            .contains("\"_source\":{\"n\":" + n + "}")
            .doesNotContain("_routing");
        assertThat(bed.rest().send("GET", path).orThrow().body()).contains("\"found\":true");
      }
      String first = "/" + index + "/_update/" + ids.getFirst();
      assertThat(send("POST", first, "{\"doc\":{\"n\":-1}}").body()).contains("\"updated\"");
      String last = "/" + index + "/_doc/" + ids.getLast();
      assertThat(NODES.rest().send("DELETE", last).orThrow().body()).contains("\"deleted\"");
    }
  }

  @Test
  void routeByIdWithoutPolicyOrSetting() {
    bulk(bed.rest(), "single-shard-not");
    assertThat(shardsUsed("single-shard-not")).isGreaterThan(2);
  }

  @Test
  void findSingleShardDocumentsAfterASplit() {
    String index = "single-shard-by-policy-split";
    send("PUT", "/" + index + "?wait_for_active_shards=all", settings(""));
    List<String> ids = new ArrayList<>();
    for (int round = 0; round < 12; round++) {
      ids.addAll(ids(bulk(bed.rest(), index)));
    }
    // a node that is more than twice as fast as the others gets all: it has two of the primaries
    assertThat(shardsUsed(index)).as("shards of twelve bulks").isBetween(2, 6);
    send("PUT", "/" + index + "/_settings", "{\"index.blocks.write\": true}");
    send(
        "POST",
        "/" + index + "/_split/" + index + "-12?wait_for_active_shards=1",
        "{\"settings\": {\"index.number_of_shards\": 12, \"index.number_of_replicas\": 0,"
            + " \"index.blocks.write\": null}}");
    for (String id : ids) {
      assertThat(bed.rest().send("GET", "/" + index + "-12/_doc/" + id).orThrow().body())
          .contains("\"found\":true");
    }
    RestReply after = bulk(bed.rest(), index + "-12");
    for (String id : ids(after)) {
      assertThat(NODES.rest().send("GET", "/" + index + "-12/_doc/" + id).orThrow().body())
          .contains("\"found\":true");
    }
  }
}
