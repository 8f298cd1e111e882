package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.client.json.JsonData;
import org.opensearch.client.json.jackson.JacksonJsonpMapper;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.SortOrder;
import org.opensearch.client.opensearch.core.MsearchResponse;
import org.opensearch.client.opensearch.core.SearchResponse;
import org.opensearch.client.opensearch.core.msearch.MultiSearchResponseItem;
import org.opensearch.client.transport.OpenSearchTransport;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/**
 * Responses lack exactly the parts to leave out, for requests that ask for it and for clients named
 * by rules.
 */
@Drawn(oneIn = 4)
class ResponseTrimmerIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static final String SORTED = "{\"sort\": [\"n\"], \"size\": 7}";
  private static final String SCORED =
      "{\"query\": {\"match\": {\"title\": \"odd\"}}, \"sort\": [\"_score\", \"n\"], \"aggs\":"
          + " {\"a\": {\"max\": {\"field\": \"n\"}}}}";

  /** Three ordinary hits, which are written as bytes. */
  private static final String USUAL = "{\"query\": {\"terms\": {\"n\": [1, 2, 3]}}}";

  private static final String USUAL_SORTED =
      "{\"query\": {\"terms\": {\"n\": [1, 2, 3]}}, \"sort\": [\"n\"]}";

  private static final String RARE =
      "{\"version\": true, \"fields\": [\"word\"], \"sort\": [\"n\"], \"size\": 4}";

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            """
            admission: {tenants: {source: header, header: X-Tenant}}
            responses:
              trimming:
                profiles:
                  lean: {drop: [shards, max-score, index, score]}
                  titles: {source-includes: [title, "o.*"], source-excludes: ["*.a"]}
                  bare: {drop: [shards, max-score, index, id, score, sort, nulls]}
                rules:
                  - {profile: bare, user-agents: ["opensearch-java*", "my-app/*"]}
                  - {profile: lean, tenants: [thrifty], indices: ["read-w*"]}
                  - {profile: titles, tenants: [readers]}
            """);
    ReadTestIndices.create(NODES.rest());
  }

  @AfterAll
  static void close() {
    ReadTestIndices.delete(NODES.rest());
    bed.assertNothingHeld();
    bed.close();
  }

  private static String search(String index, String parameters, String body) {
    RestReply reply = bed.rest().send("POST", "/" + index + "/_search?" + parameters, body);
    return reply.status() + ReadTestIndices.maskVolatileValues(reply.body());
  }

  private static String filtered(String index, String filterPath, String body) {
    RestReply reply =
        NODES.rest().send("POST", "/" + index + "/_search?filter_path=" + filterPath, body);
    return reply.status() + ReadTestIndices.maskVolatileValues(reply.body());
  }

  private static HttpResponse<String> send(String path, String body, Map<String, String> headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(bed.uri().resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    headers.forEach(request::header);
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void leaveOutRequestedPartsLikeFilterPath() {
    Map<String, String> same =
        Map.of(
            "shards", "-_shards",
            "max-score", "-hits.max_score",
            "index,id", "-hits.hits._index,-hits.hits._id",
            "score", "-hits.hits._score",
            "source", "-hits.hits._source",
            "sort", "-hits.hits.sort",
            "lean", "-_shards,-hits.max_score,-hits.hits._index,-hits.hits._score",
            "lean,source,sort",
                "took,timed_out,hits.total,hits.hits._id,hits.hits.fields,"
                    + "hits.hits._version,hits.hits._routing,hits.hits._ignored,aggregations");
    same.forEach((trim, filterPath) -> {
      for (String body : List.of(USUAL, USUAL_SORTED, SORTED, SCORED, RARE)) {
        for (String index : List.of(ReadTestIndices.WIDE, ReadTestIndices.NARROW)) {
          assertThat(search(index, "trim=" + trim, body))
              .as(trim + " " + body)
              .isEqualTo(filtered(index, filterPath, body));
        }
      }
    });
  }

  @Test
  void combineTrimmingWithFilterPath() {
    for (String body : List.of(USUAL, SORTED, RARE)) {
      assertThat(search(ReadTestIndices.WIDE, "trim=score,sort&filter_path=hits.hits", body))
          .isEqualTo(
              filtered(ReadTestIndices.WIDE, "hits.hits,-hits.hits._score,-hits.hits.sort", body));
    }
    assertThat(search(ReadTestIndices.WIDE, "trim=none", SORTED))
        .isEqualTo(filtered(ReadTestIndices.WIDE, "**", SORTED));
  }

  @Test
  void trimOtherFormatsToo() {
    for (String format : List.of("yaml", "json&pretty")) {
      assertThat(search(ReadTestIndices.WIDE, "trim=lean&format=" + format, SORTED))
          .doesNotContain("_index", "_shards", "score")
          .contains("d6", "hits");
    }
  }

  @Test
  void hitsThatAreLeftOutAreNotFetched() {
    for (String index : List.of(ReadTestIndices.WIDE, ReadTestIndices.NARROW)) {
      String answer = search(index, "trim=hits", SCORED);
      assertThat(answer)
          .contains("\"hits\":[]},\"aggregations\"")
          .startsWith(filtered(index, "-hits.hits", SCORED).split(",\"max_score\"")[0]);
      assertThat(answer).contains("\"max_score\":");
    }
    assertThat(bed.admin().send("GET", "/metrics").body())
        .containsPattern("weir_trimming_skipped_fetches_total\\{profile=\"requested\"\\} [1-9]");
  }

  @Test
  void nullsOfDocumentsAreLeftOutWithAllElseInItsPlace() {
    String answer = search(ReadTestIndices.WIDE, "trim=nulls", SORTED);
    assertThat(answer)
        .contains(
            "{\"n\":3,\"title\":\"the odd title\",\"word\":\"word0\",\"hint\":\"hint 3\","
                + "\"o\":{\"b\":[null,{}],\"_source\":3},\"parts\":[{\"p\":3},{\"p\":4}]},"
                + "\"sort\":[3]")
        .doesNotContain("\"max_score\"", "\"_score\"");
    assertThat(search(ReadTestIndices.WIDE, "trim=nulls,sort,index", USUAL_SORTED))
        .contains(
            "\"hits\":[{\"_id\":\"d1\",\"_source\":{\"n\":1,\"title\":\"the odd title\",\"word\":")
        .doesNotContain("score", "none", "_index", "sort");
    assertThat(search(ReadTestIndices.WIDE, "trim=nulls", RARE))
        .contains("\"o\":{\"b\":[null,{}],\"_source\":3}");
    assertThat(search(ReadTestIndices.WIDE, "trim=nulls", SCORED)).contains("\"_score\":");
  }

  @Test
  void documentsAreCutDownByTheNodes() {
    String node =
        NODES
            .rest()
            .send(
                "POST",
                "/read-wide/_search?_source_includes=title,o.*&_source_excludes=*.a",
                SORTED)
            .body();
    assertThat(search(ReadTestIndices.WIDE, "trim=titles", SORTED))
        .isEqualTo("200" + ReadTestIndices.maskVolatileValues(node));
    String own = "{\"_source\": [\"n\"], \"sort\": [\"n\"], \"size\": 3}";
    for (String trim : List.of("titles", "source")) {
      assertThat(search(ReadTestIndices.WIDE, "trim=" + trim, own))
          .as("what the request itself says counts")
          .isEqualTo(filtered(ReadTestIndices.WIDE, "**", own));
    }
  }

  @Test
  void rulesDoNotFailSearchesOfIndicesThatKeepNoDocuments() throws Exception {
    String both = ReadTestIndices.SOURCELESS + "," + ReadTestIndices.NARROW;
    for (String index : List.of(ReadTestIndices.SOURCELESS, both, "read-s*")) {
      HttpResponse<String> answer =
          send("/" + index + "/_search", SORTED, Map.of("X-Tenant", "readers"));
      assertThat(answer.statusCode() + ReadTestIndices.maskVolatileValues(answer.body()))
          .as(index)
          .isEqualTo(filtered(index, "**", SORTED))
          .startsWith("200");
      assertThat(answer.headers().firstValue("X-Weir-Trimmed")).isEmpty();
    }
    assertThat(
            send("/read-wide/_search", SORTED, Map.of("X-Tenant", "readers"))
                .headers()
                .firstValue("X-Weir-Trimmed"))
        .contains("titles");
  }

  @Test
  void setTheHeaderOnlyOnTrimmedResponses() throws Exception {
    String failing = "{\"query\": {\"range\": {\"n\": {\"gte\": \"no number\"}}}}";
    for (HttpResponse<String> error :
        List.of(
            send("/no-such/_search?trim=lean", SORTED, Map.of()),
            send("/read-wide/_search?trim=lean", failing, Map.of()))) {
      assertThat(error.statusCode()).isGreaterThanOrEqualTo(400);
      assertThat(error.headers().firstValue("X-Weir-Trimmed")).isEmpty();
    }
    String own = "{\"_source\": [\"n\"]}";
    HttpResponse<String> whole = send("/read-wide/_search?trim=source", own, Map.of());
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.headers().firstValue("X-Weir-Trimmed")).isEmpty();
    assertThat(
            send("/read-wide/_search?trim=score", SORTED, Map.of())
                .headers()
                .firstValue("X-Weir-Trimmed"))
        .contains("requested");
  }

  @Test
  void alwaysReportShardFailures() {
    String body =
        "{\"script_fields\": {\"s\": {\"script\": \"doc['n'].value == 0 ? doc['no'].value : 1\"}},"
            + " \"sort\": [\"n\"], \"size\": 30}";
    String answer = search(ReadTestIndices.WIDE, "trim=lean", body);
    assertThat(answer).contains("\"_shards\":{\"total\":3", "script_exception");
  }

  @Test
  void wordsThatAreNotKnownAreRefused() {
    assertThat(search(ReadTestIndices.WIDE, "trim=leaner", SORTED))
        .startsWith("400")
        .contains("got [trim] with [leaner] (expected: none, or of ", "lean", "max-score");
    assertThat(bed.rest().send("GET", "/read-wide/_count?trim=lean").status()).isEqualTo(400);
    assertThat(bed.rest().send("GET", "/_cluster/health?trim=lean").status()).isEqualTo(400);
  }

  @Test
  void nodesNeverSeeTheParameter() {
    String passed = "/read-wide/_search?trim=lean&search_pipeline=no-such&size=1";
    assertThat(bed.rest().send("GET", passed).body()).contains("no-such").doesNotContain("[trim]");
    String plain = "/read-wide/_search?size=1&columnar=false&search_pipeline=";
    assertThat(bed.rest().send("GET", plain + "no-such").body())
        .contains("no-such")
        .doesNotContain("[columnar]");
    assertThat(bed.rest().send("GET", plain + "_none").status()).isEqualTo(200);
  }

  @Test
  void trimByRules() throws Exception {
    String path = "/read-wide/_search";
    String whole = filtered(ReadTestIndices.WIDE, "**", SORTED);
    String lean = search(ReadTestIndices.WIDE, "trim=lean", SORTED);
    HttpResponse<String> thrifty = send(path, SORTED, Map.of("X-Tenant", "thrifty"));
    assertThat("200" + ReadTestIndices.maskVolatileValues(thrifty.body())).isEqualTo(lean);
    assertThat(thrifty.headers().firstValue("X-Weir-Trimmed")).contains("lean");
    for (Map<String, String> unknown :
        List.of(
            Map.<String, String>of(),
            Map.of("X-Tenant", "rich"),
            Map.of("User-Agent", "other/1"))) {
      HttpResponse<String> answer = send(path, SORTED, unknown);
      assertThat("200" + ReadTestIndices.maskVolatileValues(answer.body())).isEqualTo(whole);
      assertThat(answer.headers().firstValue("X-Weir-Trimmed")).isEmpty();
    }
    HttpResponse<String> columns =
        send(path + "?columnar=true", SORTED, Map.of("X-Tenant", "thrifty"));
    assertThat(columns.body()).contains("_shards", "\"columns\"");
    assertThat(columns.headers().firstValue("X-Weir-Trimmed")).isEmpty();
    assertThat(send("/read-narrow/_search", SORTED, Map.of("X-Tenant", "thrifty")).body())
        .contains("_shards");
    assertThat(send(path + "?trim=none", SORTED, Map.of("X-Tenant", "thrifty")).body())
        .contains("_shards");
    assertThat(send(path + "?scroll=1s", SORTED, Map.of("X-Tenant", "thrifty")).body())
        .contains("_shards", "_scroll_id");
    String bulk = "{\"delete\":{\"_index\":\"read-wide\",\"_id\":\"no-such\"}}\n";
    assertThat(send("/_bulk", bulk, Map.of("User-Agent", "my-app/2")).body())
        .contains("\"took\":", "\"errors\":false,\"items\":[", "\"_index\":", "\"_shards\":");
    assertThat(send(path, SORTED, Map.of("User-Agent", "my-app/2")).body())
        .contains("{\"_source\":{\"n\":1")
        .doesNotContain("_shards", "_id", "sort");
  }

  @Test
  void trimEachSearchOfAMultiSearch() {
    String lines =
        "{\"index\": \"read-wide\"}\n" + SORTED + "\n{\"index\": \"read-narrow\"}\n" + RARE + "\n";
    RestReply here = bed.rest().send("POST", "/_msearch?trim=lean", lines);
    RestReply node =
        NODES
            .rest()
            .send(
                "POST",
                "/_msearch?filter_path=-responses._shards,-responses.hits.max_score,"
                    + "-responses.hits.hits._index,-responses.hits.hits._score",
                lines);
    assertThat(ReadTestIndices.maskVolatileValues(here.body()))
        .isEqualTo(ReadTestIndices.maskVolatileValues(node.body()));
  }

  @Test
  void typedClientGetsTheFieldsThatItRequires() throws IOException {
    try (OpenSearchTransport transport =
        ApacheHttpClient5TransportBuilder.builder(
                new HttpHost("http", "127.0.0.1", bed.uri().getPort()))
            .setMapper(new JacksonJsonpMapper())
            .build()) {
      OpenSearchClient client = new OpenSearchClient(transport);
      SearchResponse<JsonData> found =
          client.search(
              s ->
                  s.index(ReadTestIndices.WIDE)
                      .size(3)
                      .sort(o -> o.field(f -> f.field("n").order(SortOrder.Desc))),
              JsonData.class);
      assertThat(found.shards().total()).isEqualTo(3);
      assertThat(found.hits().hits())
          .extracting(hit -> hit.id())
          .containsExactly("d29", "d28", "d27");
      assertThat(found.hits().hits()).allMatch(hit -> hit.sort().isEmpty());
      JsonData first = Objects.requireNonNull(found.hits().hits().getFirst().source());
      assertThat(first.toJson().toString()).contains("\"n\":29").doesNotContain("none");
      MsearchResponse<JsonData> several =
          client.msearch(
              m ->
                  m.searches(
                      r -> r.header(h -> h.index(ReadTestIndices.WIDE)).body(b -> b.size(2))),
              JsonData.class);
      MultiSearchResponseItem<JsonData> one = several.responses().get(0);
      assertThat(one.result().hits().hits()).hasSize(2);
    }
    assertThat(bed.admin().send("GET", "/metrics").body())
        .containsPattern("weir_trimming_responses_total\\{profile=\"bare\"\\} [1-9]")
        .containsPattern("weir_trimming_saved_bytes_total\\{profile=\"bare\"\\} [1-9]");
  }
}
