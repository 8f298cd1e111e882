package dev.weir.it.pruning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.RequestMetrics;
import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Searches with pruning give the same responses as a node that searches all indices. */
@Drawn(oneIn = 2)
class TimePrunerIT {
  private static final int DAYS = 10;
  private static final int BLOCKED = 9;
  private static final int SEARCHES = 300;
  private static final String LAST_DAY =
      "{\"query\":{\"range\":{\"@timestamp\":{\"gte\":\"2026-01-11T00:00:00.000Z\"}}}}";

  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final RestClient NODE = NODES.rest();
  private static final DailyIndices INDICES = new DailyIndices(NODE, "pruned-");

  private static TestBed bed;

  @BeforeAll
  static void start() {
    INDICES.delete();
    for (int day = 0; day < DAYS; day++) {
      INDICES.create(day, 1 + day % 2, 30, new Random(day));
    }
    NODE.send("POST", "/pruned-09/_refresh").orThrow();
    for (int day = 0; day < BLOCKED; day++) {
      INDICES.blockWrites(day);
    }
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "search: {time-pruning: {indices: [\"pruned-*\"], learning-delay: 0ms}}");
    DailyIndices.awaitKnown(bed, known -> known == BLOCKED);
  }

  @AfterAll
  static void close() {
    INDICES.delete();
    bed.close();
  }

  private static RestReply gateway(String path, String body) {
    return bed.rest().send("POST", path, body);
  }

  private static RestReply node(String path, String body) {
    return NODE.send("POST", path, body);
  }

  @Test
  void shardsWithoutTheTimeAreLeftOutAndSaidToBe() {
    long before = DailyIndices.prunedSearches(bed);
    RestReply reply = gateway("/pruned-*/_search", LAST_DAY).orThrow();
    assertThat(DailyIndices.prunedSearches(bed)).isEqualTo(before + 1);
    assertThat(reply.body()).contains("\"_shards\":{\"total\":15,\"successful\":15");
    assertThat(DailyIndices.skippedShards(reply)).isGreaterThanOrEqualTo(13);
    assertThat(DailyIndices.maskVolatileValues(reply))
        .isEqualTo(DailyIndices.maskVolatileValues(node("/pruned-*/_search", LAST_DAY)));
    assertThat(bed.admin().send("GET", "/search/time-pruning").body())
        .contains("\"pruned-00\"", "\"pruned-08\"")
        .doesNotContain("\"pruned-09\"");
  }

  @Test
  void searchAtLeastOneShard() {
    String never = LAST_DAY.replace("2026-01-11", "2036-01-11");
    RestReply reply = gateway("/pruned-0*,-pruned-09/_search", never).orThrow();
    assertThat(DailyIndices.skippedShards(reply)).isEqualTo(12);
    assertThat(DailyIndices.maskVolatileValues(reply))
        .isEqualTo(DailyIndices.maskVolatileValues(node("/pruned-0*,-pruned-09/_search", never)));
  }

  @Test
  void onlyShardThatIsLeftFetchesWithTheQuery() {
    String path = "/pruned-0*,-pruned-09/_search";
    String firstDay =
        "{\"size\":7,\"sort\":[\"@timestamp\"],\"query\":{\"range\":{\"@timestamp\":"
            + "{\"lt\":\"2026-01-02T00:00:00.000Z\"}}}}";
    double before = RequestMetrics.phases(bed, "fetch");
    RestReply reply = gateway(path, firstDay).orThrow();
    assertThat(DailyIndices.skippedShards(reply)).isEqualTo(12);
    assertThat(RequestMetrics.phases(bed, "fetch")).isEqualTo(before);
    assertThat(DailyIndices.maskVolatileValues(reply))
        .isEqualTo(DailyIndices.maskVolatileValues(node(path, firstDay)));
    assertThat(reply.body()).contains("\"_source\"");

    String explained = firstDay.replace("{\"size\"", "{\"explain\":true,\"size\"");
    assertThat(DailyIndices.maskVolatileValues(gateway(path, explained)))
        .isEqualTo(DailyIndices.maskVolatileValues(node(path, explained)));
    assertThat(RequestMetrics.phases(bed, "fetch")).isEqualTo(before + 1);
  }

  @Test
  void answerRandomSearchesLikeANode() {
    long before = DailyIndices.prunedSearches(bed);
    for (int seed = 0; seed < SEARCHES; seed++) {
      RandomSearches random = new RandomSearches(seed, DAYS);
      String path = "/pruned-*/_search?" + random.parameters();
      String body = random.body();
      if (!RandomSearches.isAlwaysAnsweredAlike(body)) {
        continue;
      }
      assertThat(DailyIndices.maskVolatileValues(gateway(path, body)))
          .as("seed %s: %s", seed, body)
          .isEqualTo(DailyIndices.maskVolatileValues(node(path, body)));
    }
    assertThat(DailyIndices.prunedSearches(bed) - before).isGreaterThan(SEARCHES / 20);
  }

  @Test
  void explainPrunedIndices() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(bed.uri().resolve("/pruned-*/_search"))
            .header("Content-Type", "application/json")
            .header("X-Weir-Explain", "true")
            .header("X-Opaque-Id", "pruned-by-time")
            .POST(HttpRequest.BodyPublishers.ofString(LAST_DAY))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.headers().firstValue("X-Weir-Explain").orElse(""))
          .contains(
              "\"pruned_indices\":[{\"index\":\"pruned-00\",\"shards\":1,\"field\":\"@timestamp\"");
    }
    assertThat(bed.admin().send("GET", "/routing/explain?request=pruned-by-time").body())
        .contains("\"pruned_indices\"", "\"pruned-03\"", "\"field\"");
  }

  @Test
  void searchAllShardsWhenNecessary() {
    long before = DailyIndices.prunedSearches(bed);
    RestReply scroll = gateway("/pruned-*/_search?scroll=1m&size=1", LAST_DAY).orThrow();
    String scrollId = scroll.body().replaceAll("(?s).*\"_scroll_id\":\"([^\"]+)\".*", "$1");
    bed.rest().send("DELETE", "/_search/scroll", "{\"scroll_id\":\"" + scrollId + "\"}").orThrow();
    gateway("/pruned-*/_search?search_type=dfs_query_then_fetch", LAST_DAY).orThrow();
    gateway("/pruned-08,pruned-09/_search", LAST_DAY).orThrow();
    String all = LAST_DAY.substring(0, LAST_DAY.length() - 1);
    gateway("/pruned-*/_search", all + ",\"profile\":true}").orThrow();
    gateway("/pruned-*/_search", all + ",\"aggs\":{\"g\":{\"global\":{}}}}").orThrow();
    assertThat(DailyIndices.prunedSearches(bed)).isEqualTo(before);
    gateway("/pruned-*/_search", LAST_DAY).orThrow();
    assertThat(DailyIndices.prunedSearches(bed)).isEqualTo(before + 1);
  }

  @Test
  void severalSearchesAtOnceAreEachPruned() {
    long before = DailyIndices.prunedSearches(bed);
    byte[] lines =
        ("{\"index\":\"pruned-*\"}\n" + LAST_DAY + "\n").repeat(5).getBytes(StandardCharsets.UTF_8);
    RestReply reply = bed.rest().bulk("/_msearch", lines).orThrow();
    assertThat(DailyIndices.maskVolatileValues(reply))
        .isEqualTo(DailyIndices.maskVolatileValues(NODE.bulk("/_msearch", lines)));
    assertThat(DailyIndices.prunedSearches(bed)).isEqualTo(before + 5);
  }
}
