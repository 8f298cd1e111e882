package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which of two clusters gets a request. */
class ClusterSelectionIT {
  private static final String COLORS = "colors";
  private static final String ONLY_BLUE = "traffic: {weights: {blue: 1}, canary-header: X-Cluster}";

  @BeforeAll
  static void fill() {
    fill(TwoClusters.blue(), "blue");
    fill(TwoClusters.green(), "green");
  }

  private static void fill(DataNodeCluster cluster, String color) {
    String settings = "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":0}}";
    cluster.rest().send("PUT", "/" + COLORS, settings).orThrow();
    cluster.rest().send("PUT", "/" + COLORS + "-v2", settings).orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      lines.append("{\"index\":{\"_index\":\"colors\",\"_id\":\"").append(i).append("\"}}\n");
      lines.append("{\"color\":\"").append(color).append("\",\"n\":").append(i).append("}\n");
    }
    lines.append("{\"index\":{\"_index\":\"colors-v2\",\"_id\":\"1\"}}\n{\"color\":\"v2\"}\n");
    cluster
        .rest()
        .bulk(
            "/_bulk?refresh=true",
            lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .orThrow();
  }

  @AfterAll
  static void empty() {
    TwoClusters.deleteOnBoth("colors,colors-v2");
  }

  private static String color(JsonResponse answer) {
    List<Map<String, Object>> hits = answer.objects("hits.hits");
    assertThat(hits).as("hits of %s", answer).isNotEmpty();
    Set<Object> colors = new HashSet<>();
    for (Map<String, Object> hit : hits) {
      if (hit.get("_source") instanceof Map<?, ?> source) {
        colors.add(String.valueOf(source.get("color")));
      }
    }
    assertThat(colors).hasSize(1);
    return String.valueOf(colors.iterator().next());
  }

  @Test
  void selectTheClusterByHeader() {
    try (TestBed bed = TwoClusters.gateway(ONLY_BLUE);
        HeaderClient caller = new HeaderClient(bed)) {
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("blue");
      assertThat(color(caller.send("GET", "/colors/_search", "", "X-Cluster", "green")))
          .isEqualTo("green");
      assertThat(color(caller.send("GET", "/colors/_search", "", "X-Cluster", "nobody")))
          .isEqualTo("blue");
      // including requests that pass through
      assertThat(caller.send("GET", "/", "", "X-Cluster", "green").text("cluster_name"))
          .isEqualTo("weir-green");
      assertThat(caller.send("GET", "/", "").text("cluster_name")).isEqualTo("weir-blue");
    }
  }

  @Test
  void routeIdsOfAClusterBackToIt() {
    try (TestBed bed = TwoClusters.gateway(ONLY_BLUE);
        TestBed other = TwoClusters.gateway(ONLY_BLUE);
        HeaderClient caller = new HeaderClient(bed);
        HeaderClient elsewhere = new HeaderClient(other)) {
      JsonResponse begun =
          caller.send("POST", "/colors/_search?scroll=1m&size=10&sort=n", "", "X-Cluster", "green");
      assertThat(color(begun)).isEqualTo("green");
      String scroll = begun.text("_scroll_id");
      int seen = begun.objects("hits.hits").size();
      for (HeaderClient one :
          List.of(caller, elsewhere)) { // another gateway without knowledge of the request
        JsonResponse next =
            one.send(
                "POST", "/_search/scroll", "{\"scroll\":\"1m\",\"scroll_id\":\"" + scroll + "\"}");
        assertThat(color(next)).isEqualTo("green");
        seen += next.objects("hits.hits").size();
      }
      JsonResponse last =
          elsewhere.send("GET", "/_search/scroll?scroll=1m&scroll_id=" + scroll, "");
      assertThat(color(last)).isEqualTo("green");
      assertThat(seen + last.objects("hits.hits").size()).isEqualTo(40);
      String blues = caller.send("POST", "/colors/_search?scroll=1m&size=1", "").text("_scroll_id");
      JsonResponse mixed =
          elsewhere.send(
              "DELETE",
              "/_search/scroll",
              "{\"scroll_id\":[\"" + blues + "\",\"" + scroll + "\"]}");
      assertThat(mixed.status()).isEqualTo(400);
      assertThat(mixed.reasonOfError())
          .startsWith("got ids that several clusters made: blue [" + blues.replace("=", ""))
          .endsWith("(expected: one cluster's, in a request for each)");
      String path = "/_search/scroll/" + scroll + "," + blues;
      assertThat(caller.send("DELETE", path, "").reasonOfError())
          .isEqualTo(
              "got ids that several clusters made: green [%s]; blue [%s] (expected: one cluster's,"
                      .formatted(scroll.replace("=", ""), blues.replace("=", ""))
                  + " in a request for each)");
      for (String one : List.of(blues, scroll)) {
        assertThat(
                caller
                    .send("DELETE", "/_search/scroll", "{\"scroll_id\":[\"" + one + "\"]}")
                    .number("num_freed"))
            .isEqualTo(2);
      }

      String pit =
          caller
              .send("POST", "/colors/_search/point_in_time?keep_alive=1m", "", "X-Cluster", "green")
              .text("pit_id");
      String search = "{\"size\":5,\"pit\":{\"id\":\"" + pit + "\",\"keep_alive\":\"1m\"}}";
      assertThat(color(elsewhere.send("POST", "/_search", search))).isEqualTo("green");
      assertThat(elsewhere.send("POST", "/_search", "{\"size\":0}").status()).isEqualTo(200);
      JsonResponse freed =
          elsewhere.send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + pit + "\"]}");
      assertThat(freed.objects("pits")).hasSize(1);
      assertThat(freed.objects("pits").getFirst()).containsEntry("successful", true);

      String node = TwoClusters.green().node(0).id();
      assertThat(caller.send("GET", "/_nodes/" + node + "/os", "").text("cluster_name"))
          .isEqualTo("weir-green");
      String reason = caller.send("GET", "/_tasks/" + node + ":1", "").reasonOfError();
      assertThat(reason).contains("isn't running and hasn't stored its results");
    }
  }

  @Test
  void keepRequestsOfAClientTogetherInASplit() {
    String split = "traffic: {weights: {blue: 50, green: 50}, split-by: request}";
    try (TestBed bed = TwoClusters.gateway(split);
        HeaderClient caller = new HeaderClient(bed)) {
      Set<String> drawn = new HashSet<>();
      for (int i = 0; i < 60; i++) {
        drawn.add(color(caller.send("GET", "/colors/_search?size=1", "")));
      }
      assertThat(drawn).containsExactlyInAnyOrder("blue", "green");
      Set<String> same = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        same.add(
            color(caller.send("GET", "/colors/_search?size=1", "", "X-Request-Id", "one-of-them")));
      }
      assertThat(same).hasSize(1);
    }
  }

  @Test
  void routesHavePoliciesOfTheirOwn() {
    String routes =
        """
        traffic: {weights: {blue: 1}}
        routes:
          - {name: searches, indices: ["col*"], actions: [search], policy: fresh}
          - {name: ann, users: [ann], policy: fresh}
        policies:
          fresh: {traffic: {weights: {green: 1}}}
        """;
    try (TestBed bed = TwoClusters.gateway(routes);
        HeaderClient caller = new HeaderClient(bed)) {
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("green");
      assertThat(caller.send("GET", "/colors/_doc/1", "").text("_source.color")).isEqualTo("blue");
      String ann = "Basic YW5uOnNlY3JldA==";
      assertThat(
              caller.send("GET", "/colors/_doc/1", "", "Authorization", ann).text("_source.color"))
          .isEqualTo("green");
      Map<String, Object> fresh =
          Await.untilValue( // a request is counted once its response has been sent
              "two requests",
              () ->
                  JsonResponse.of(bed.admin().send("GET", "/traffic").orThrow())
                      .objects("policies")
                      .get(1),
              policy -> Map.of("blue", 0, "green", 2).equals(policy.get("requests")));
      assertThat(fresh).containsEntry("policy", "fresh");
    }
  }

  @Test
  void operatorsMoveTraffic() {
    try (TestBed bed = TwoClusters.gateway(ONLY_BLUE);
        HeaderClient caller = new HeaderClient(bed)) {
      bed.admin().send("POST", "/traffic/cutover?to=green").orThrow();
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("green");
      bed.admin().send("POST", "/traffic/shift?blue=1&green=0").orThrow();
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("blue");
      bed.admin().send("POST", "/traffic/reset").orThrow();
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("blue");
      bed.admin().send("POST", "/traffic/shift?green=1").orThrow();
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("green");
      assertThat(
              JsonResponse.of(bed.admin().send("POST", "/traffic/cutover?to=red")).reasonOfError())
          .isEqualTo("to: got [red] (expected: one of blue, green)");
      assertThat(JsonResponse.of(bed.admin().send("POST", "/traffic/shift?blue=0")).status())
          .isEqualTo(400);
    }
  }

  @Test
  void namesDifferBetweenClusters() {
    String renamed =
        """
        clusters:
          blue: {seeds: [%s], index-renames: {"colors": "colors-v2"}}
        http: {listen: "127.0.0.1:0"}
        admin: {listen: "127.0.0.1:0"}
        """
            .formatted(TwoClusters.seeds(TwoClusters.blue()));
    try (TestBed bed = TestBed.startWithConfig(renamed);
        HeaderClient caller = new HeaderClient(bed)) {
      assertThat(color(caller.send("GET", "/colors/_search", ""))).isEqualTo("v2");
      assertThat(caller.send("GET", "/colors/_count", "").number("count")).isEqualTo(1);
      JsonResponse impossible = caller.send("GET", "/col*/_search", "");
      assertThat(impossible.status()).isEqualTo(400);
      assertThat(impossible.reasonOfError()).contains("col*");
    }
  }

  /** Requests of clients, and the requests that a node would have received. */
  private record Asked(String uri, String body) {
    static Asked of(String uri, String body) {
      return new Asked(uri, body.replace('\'', '"'));
    }

    Asked known() {
      return new Asked(known(uri), known(body));
    }

    private static String known(String said) {
      return said.replace("shades", "colors").replace("hues-", "colors-");
    }
  }

  @Test
  void namesInBodiesDifferToo() {
    String renamed =
        """
        clusters:
          blue: {seeds: [%s]}
          green: {seeds: [%s], index-renames: {"shades": "colors", "hues-*": "colors-*"}}
        http: {listen: "127.0.0.1:0"}
        admin: {listen: "127.0.0.1:0"}
        bulk: {streaming: {threshold: 1kb, section-bytes: 64kb, max-buffered-bytes: 4mb}}
        traffic: {weights: {green: 1}}
        """
            .formatted(
                TwoClusters.seeds(TwoClusters.blue()), TwoClusters.seeds(TwoClusters.green()));
    List<Asked> all =
        List.of(
            Asked.of("/_msearch", "{'index':'shades'}\n{'size':3,'sort':'n'}\n"),
            Asked.of("/_msearch", "{'index':['hues-v2','shades']}\n{'size':0}\n{}\n{'size':0}\n"),
            Asked.of("/_msearch?ccs_minimize_roundtrips=false", "{'index':'shades'}\n{'size':0}\n"),
            Asked.of(
                "/_msearch/template",
                "{'index':'shades'}\n{'source':{'size':'{{n}}'},'params':{'n':2}}\n"),
            Asked.of(
                "/_mget",
                "{'docs':[{'_index':'shades','_id':'1'},{'_index':'hues-v2','_id':'1'}]}"),
            Asked.of("/_mget?index=shades", "{'ids':['1']}"),
            Asked.of("/_msearch?index=shades", "{}\n{'size':2,'sort':'n'}\n"),
            Asked.of("/_search?%69ndex=hues-v2,shades", "{'size':2,'sort':'n'}"),
            Asked.of("/_count?index=hues-*", "{'query':{'match_all':{}}}"),
            Asked.of("/_mtermvectors", "{'docs':[{'_index':'shades','_id':'1'}]}"),
            Asked.of(
                "/_bulk?refresh=true",
                "{'index':{'_index':'shades','_id':'b1'}}\n{'n':1}\n".repeat(40)),
            Asked.of("/_bulk", "{'index':{'_index':'shades','_id':'b1'}}\n{'n':1}\n"),
            Asked.of(
                "/_bulk?filter_path=items.*._index,errors",
                "{'update':{'_index':'hues-v2','_id':'1'}}\n{'doc':{'n':7}}\n"
                    + "{'delete':{'_index':'shades','_id':'b1'}}\n"),
            Asked.of("/_bulk?refresh;%69ndex=shades", "{'index':{'_id':'b2'}}\n{'n':1}\n"),
            Asked.of("/_bulk?index=shades", "{'index':{'_id':'b2'}}\n{'n':1}\n".repeat(40)),
            Asked.of("/_bulk?index=shades", "{'delete':{'_id':'b2'}}\n"),
            Asked.of(
                "/_bulk?index=hues-v2&filter_path=items.*._index,errors",
                "{'update':{'_id':'1'}}\n{'doc':{'n':8}}\n"));
    try (TestBed bed = TestBed.startWithConfig(renamed);
        HeaderClient caller = new HeaderClient(bed)) {
      for (Asked one : all) {
        Asked known = one.known();
        JsonResponse there =
            JsonResponse.of(TwoClusters.green().rest().send("POST", known.uri(), known.body()));
        JsonResponse here = caller.send("POST", one.uri(), one.body());
        assertThat(here.status()).as("%s: %s", one.uri(), here).isEqualTo(200);
        assertThat(comparable(here)).as(one.uri()).isEqualTo(comparable(there));
      }
      String unsayable = "{\"index\":\"sh*\"}\n{}\n";
      for (String uri : List.of("/_msearch", "/_msearch/template")) {
        JsonResponse refused = caller.send("POST", uri, unsayable);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.reasonOfError()).startsWith("got sh*, of which some are called other");
      }
      JsonResponse refused =
          caller.send(
              "POST",
              "/_bulk",
              "{\"index\":{\"_index\":\"shades\"}}\n{}\n".repeat(99) + "{/**/}\n");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reasonOfError()).startsWith("got a comment");
      assertThat(
              caller.send("GET", "/_mget?source=%7B%7D&source_content_type=x", "").reasonOfError())
          .startsWith("got [source] (expected: a body");
      assertThat(caller.send("POST", "/_bulk?index=sh*", "{\"index\":{}}\n{}\n").reasonOfError())
          .startsWith("got sh*, of which some are called otherwise");
    } finally { // else another test may find a document that was deleted here
      TwoClusters.green().rest().send("POST", "/colors*/_refresh").orThrow();
    }
  }

  /** Removes what differs with every request. */
  private static String comparable(JsonResponse answer) {
    return answer
        .toString()
        .replaceAll("(took|ingest_took|_version|_seq_no|_primary_term|status)=\\d+", "$1")
        .replaceAll("result=\\w+", "result");
  }
}
