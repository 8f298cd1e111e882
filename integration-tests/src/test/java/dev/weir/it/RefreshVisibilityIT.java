package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A client that changed indices through the gateway finds them changed with its very next request,
 * as on a node.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RefreshVisibilityIT {
  private static final int ROUNDS = 60;
  private static final Pattern SHARDS = Pattern.compile("\"_shards\":\\{\"total\":(\\d+)");

  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());
  private final RestClient node = new RestClient(nodes.node(0).httpUri());

  @AfterAll
  void close() {
    node.close();
    bed.close();
  }

  @Test
  void findCreatedDocumentsAndNoDeletedOnes() {
    for (int round = 0; round < ROUNDS; round++) {
      String index = "fresh-" + round;
      gateway(
          "PUT", "/" + index, "{\"settings\":{\"number_of_replicas\":0},\"aliases\":{\"al\":{}}}");
      assertThat(shards("/fresh-*/_search?size=0")).as("round %s", round).isEqualTo(1);
      assertThat(shards("/al/_count")).as("round %s", round).isEqualTo(1);
      RestReply bulk =
          bed.rest()
              .bulk(
                  "/al/_bulk?refresh=true",
                  "{\"index\":{}}\n{\"n\":1}\n".getBytes(StandardCharsets.UTF_8));
      assertThat(bulk.body()).contains("\"errors\":false", "\"_index\":\"" + index + "\"");
      gateway("DELETE", "/" + index, "");
      assertSameAsOnNode("/fresh-*/_search?size=0");
      assertSameAsOnNode("/al/_search");
    }
    bed.assertNothingHeld();
  }

  @Test
  void seesAliasesMovedAndIndicesClosed() {
    gateway("PUT", "/moved-1", "{\"settings\":{\"number_of_replicas\":0}}");
    gateway("PUT", "/moved-2", "{\"settings\":{\"number_of_replicas\":0}}");
    for (int round = 0; round < 20; round++) {
      String to = "moved-" + (1 + round % 2);
      gateway(
          "POST",
          "/_aliases",
          "{\"actions\":[{\"remove\":{\"index\":\"moved-*\",\"alias\":\"here\",\"must_exist\":false}},"
              + "{\"add\":{\"index\":\""
              + to
              + "\",\"alias\":\"here\"}}]}");
      RestReply written = bed.rest().send("PUT", "/here/_doc/1?refresh=true", "{\"n\":1}");
      assertThat(written.body()).contains("\"_index\":\"" + to + "\"");
      gateway("POST", "/" + to + "/_close", "");
      assertSameAsOnNode("/here/_search");
      gateway("POST", "/" + to + "/_open", "");
      assertSameAsOnNode("/here/_search");
    }
    gateway("DELETE", "/moved-*", "");
  }

  private void gateway(String method, String path, String body) {
    (body.isEmpty() ? bed.rest().send(method, path) : bed.rest().send(method, path, body))
        .orThrow();
  }

  private int shards(String path) {
    RestReply reply = bed.rest().send("GET", path).orThrow();
    Matcher total = SHARDS.matcher(reply.body());
    assertThat(total.find()).as(reply.body()).isTrue();
    return Integer.parseInt(total.group(1));
  }

  private void assertSameAsOnNode(String path) {
    RestReply here = bed.rest().send("GET", path);
    RestReply there = node.send("GET", path);
    assertThat(here.status() + masked(here)).isEqualTo(there.status() + masked(there));
  }

  private static String masked(RestReply reply) {
    return reply.body().replaceAll("\"took\":\\d+", "\"took\":0");
  }
}
