package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node, and not the gateway, runs the scripts of a reduction. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScriptPassThroughIT {
  private static final String INDEX = "script-pass-through";

  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());

  ScriptPassThroughIT() {
    for (int id = 0; id < 5; id++) {
      nodes
          .rest()
          .send("PUT", "/" + INDEX + "/_doc/" + id + "?refresh=true", "{\"n\":" + id + "}")
          .orThrow();
    }
  }

  @AfterAll
  void close() {
    nodes.rest().send("DELETE", "/" + INDEX);
    bed.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"m":{"scripted_metric":{"init_script":"state.n = 0","map_script":"state.n += 1",
          "combine_script":"return state.n",
          "reduce_script":"long sum = 0; for (s in states) { sum += s } return sum"}}}\
        """,
        """
        {"n":{"histogram":{"field":"n","interval":1},"aggs":{
          "twice":{"bucket_script":{"buckets_path":{"c":"_count"},"script":"params.c * 2"}},
          "some":{"bucket_selector":{"buckets_path":{"k":"_count"},"script":"params.k > 0"}}}}}\
        """,
        """
        {"n":{"histogram":{"field":"n","interval":1},"aggs":{"m":{"moving_fn":{
          "buckets_path":"_count","window":2,"script":"MovingFunctions.max(values)"}}}}}\
        """
      })
  void runOnANode(String aggregations) {
    long before = passed();
    String search = "{\"size\":0,\"aggs\":" + aggregations + "}";

    RestReply response = bed.rest().send("POST", "/" + INDEX + "/_search", search).orThrow();

    RestReply expected = nodes.rest().send("POST", "/" + INDEX + "/_search", search).orThrow();
    assertThat(stable(response)).isEqualTo(stable(expected));
    assertThat(passed()).isEqualTo(before + 1);
  }

  @Test
  void coordinateTheOtherSearchesOfAMultiSearch() {
    long before = passed();
    double forwarded = forwarded();
    String plain = "{\"index\":\"" + INDEX + "\"}\n{\"size\":1,\"sort\":[\"n\"]}\n";
    String scripted =
        """
        {"index":"script-pass-through"}
        {"size":0,"aggs":{"n":{"histogram":{"field":"n","interval":1},"aggs":{\
        "twice":{"bucket_script":{"buckets_path":{"c":"_count"},"script":"params.c * 2"}}}}}}
        """;
    String searches = plain + scripted + plain;

    RestReply response = bed.rest().send("POST", "/_msearch", searches).orThrow();

    RestReply expected = nodes.rest().send("POST", "/_msearch", searches).orThrow();
    assertThat(stable(response)).isEqualTo(stable(expected));
    assertThat(response.body()).contains("\"twice\":{\"value\":2.0}");
    assertThat(passed()).as("requests that passed through").isEqualTo(before);
    assertThat(forwarded()).isEqualTo(forwarded + 1);
    bed.rest().send("POST", "/_msearch", scripted + scripted).orThrow();
    assertThat(passed()).as("a node answers all of them").isEqualTo(before + 1);
    bed.assertNothingHeld();
  }

  private double forwarded() {
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith("weir_forwarded_searches_total{"))
        .filter(line -> line.contains("\"script\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private long passed() {
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith("weir_requests_total{") && line.contains("\"script\""))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static String stable(RestReply reply) {
    return reply.body().replaceAll("\"took\":\\d+", "");
  }
}
