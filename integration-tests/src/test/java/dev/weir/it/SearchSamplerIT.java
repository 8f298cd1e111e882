package dev.weir.it;

import static dev.weir.it.SampledFigures.at;
import static dev.weir.it.SampledFigures.json;
import static dev.weir.it.SampledFigures.list;
import static dev.weir.it.SampledFigures.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.client.json.JsonData;
import org.opensearch.client.json.JsonpMapper;
import org.opensearch.client.json.jackson.JacksonJsonpMapper;
import org.opensearch.client.opensearch._types.aggregations.Aggregate;
import org.opensearch.client.opensearch._types.aggregations.StringTermsBucket;
import org.opensearch.client.opensearch.core.SearchResponse;

/**
 * Estimates from a part of a search's shards cover the truth as often as their confidence level
 * says.
 */
class SearchSamplerIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "visits";
  private static final String OTHER = "visits-elsewhere";
  private static final int SHARDS = 30;
  private static final int DOCUMENTS = 3_000;
  private static final int SEEDS = 200;

  /** A sample bounds these on one side only. */
  private static final Set<String> EXTREMES = Set.of("first", "last", "spread.min", "spread.max");

  private static final String BODY =
      """
      {"size": 0, "query": {"range": {"n": {"lt": 2700}}}, "aggs": {
        "pages": {"terms": {"field": "page", "size": 3},
          "aggs": {"duration": {"avg": {"field": "ms"}}, "items": {"sum": {"field": "items"}}}},
        "days": {"date_histogram": {"field": "day", "calendar_interval": "day"},
          "aggs": {"timed": {"value_count": {"field": "ms"}}}},
        "durations": {"histogram": {"field": "ms", "interval": 200, "min_doc_count": 150}},
        "duration": {"avg": {"field": "ms"}},
        "items": {"sum": {"field": "items"}},
        "timed": {"value_count": {"field": "ms"}},
        "spread": {"stats": {"field": "ms"}},
        "first": {"min": {"field": "ms"}},
        "last": {"max": {"field": "ms"}},
        "tail": {"percentiles": {"field": "ms", "percents": [50]}}}}
      """;

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.inFrontOf(NODES.seeds());
    create(INDEX, SHARDS, DOCUMENTS);
    create(OTHER, 4, 400);
  }

  private static void create(String index, int shards, int documents) {
    send(
        "PUT",
        "/" + index,
        """
        {"settings": {"number_of_shards": %d, "number_of_replicas": 0},
         "mappings": {"properties": {"page": {"type": "keyword"}, "day": {"type": "date"},
          "ms": {"type": "integer"}, "items": {"type": "integer"}, "n": {"type": "integer"},
          "at": {"type": "date", "format": "epoch_millis"}}}}
        """
            .formatted(shards));
    Random random = new Random(5);
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < documents; n++) {
      String[] pages = {"home", "home", "home", "home", "search", "search", "cart", "help"};
      lines
          .append("{\"index\":{\"_id\":\"")
          .append(n)
          .append("\"}}\n{\"n\":")
          .append(n)
          .append(",\"at\":")
          .append(n)
          .append(",\"page\":\"")
          .append(pages[random.nextInt(pages.length)])
          .append("\",\"day\":\"2026-11-0")
          .append(1 + random.nextInt(5))
          .append("\",\"items\":")
          .append(random.nextInt(50));
      if (n % 10 != 0) {
        lines.append(",\"ms\":").append((int) (500 * Math.abs(random.nextGaussian())));
      }
      lines.append("}\n");
    }
    RestReply bulk =
        NODES
            .rest()
            .bulk(
                "/" + index + "/_bulk?refresh=true",
                lines.toString().getBytes(StandardCharsets.UTF_8));
    assertThat(bulk.body()).contains("\"errors\":false");
  }

  /** Sends a request through the gateway, which knows of a new index from then on. */
  private static void send(String method, String path, String body) {
    assertThat(bed.rest().send(method, path, body).status()).as(path).isEqualTo(200);
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/" + INDEX + "," + OTHER);
    bed.assertNothingHeld();
    bed.close();
  }

  private static Map<String, Object> search(String parameters) {
    RestReply reply = bed.rest().send("POST", "/" + INDEX + "/_search" + parameters, BODY);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return json(reply.body());
  }

  @Test
  void coverTheTruthAsOftenAsTheConfidenceLevel() {
    Map<String, SampledFigures.Figure> truth = SampledFigures.of(search(""));
    assertThat(truth).hasSizeGreaterThan(20);
    Map<String, Integer> held = new HashMap<>();
    Map<String, Integer> told = new HashMap<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      SampledFigures.of(search("?sample=0.1&sample_seed=" + seed))
          .forEach((path, figure) -> {
            SampledFigures.Figure whole = truth.get(path);
            if (whole != null && EXTREMES.contains(path)) {
              assertThat(figure.admits(whole)).as(path).isTrue();
            } else if (whole != null) {
              told.merge(path, 1, Integer::sum);
              held.merge(path, figure.holds(whole) ? 1 : 0, Integer::sum);
            }
          });
    }
    assertThat(told)
        .containsKeys(
            "total",
            "pages=home",
            "pages=home>duration",
            "items",
            "timed",
            "spread.avg",
            "tail.50.0");
    told.forEach((path, times) -> {
      if (times == SEEDS) {
        double share = held.getOrDefault(path, 0) / (double) SEEDS;
        assertThat(share).as(path).isBetween(0.88, 1.0);
      }
    });
    double all = held.values().stream().mapToInt(Integer::intValue).sum();
    double of = told.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(all / of).isBetween(0.93, 0.98);
  }

  @Test
  void describeTheSample() {
    Map<String, Object> answer = search("?sample=0.2&sample_seed=3&sample_confidence=0.9");
    assertThat(at(answer, "_shards"))
        .containsEntry("total", 6)
        .containsEntry("successful", 6)
        .containsEntry("failed", 0);
    assertThat(at(answer, "_sampling"))
        .containsEntry("confidence", 0.9)
        .containsEntry("seed", 3)
        .containsEntry("shards", Map.of("total", SHARDS, "sampled", 6, "answered", 6));
    assertThat(at(answer, "hits", "total").get("value")).asString().matches("2[0-9]{3}|3[0-9]{3}");
    Map<String, Object> again = search("?sample=0.2&sample_seed=3&sample_confidence=0.9");
    assertThat(again.remove("took")).isNotNull();
    assertThat(answer.remove("took")).isNotNull();
    assertThat(again).isEqualTo(answer);
  }

  @Test
  void sampleTheSameShardsForTheSamePreference() {
    Object one = at(search("?sample_shards=5&preference=me"), "_sampling").get("seed");
    assertThat(at(search("?sample_shards=5&preference=me"), "_sampling").get("seed"))
        .isEqualTo(one);
    assertThat(at(search("?sample_shards=5&preference=you"), "_sampling").get("seed"))
        .isNotEqualTo(one);
  }

  @Test
  void answerExactlyFromAllShards() {
    Map<String, SampledFigures.Figure> truth = SampledFigures.of(search(""));
    Map<String, Object> answer = search("?sample=1");
    Map<String, SampledFigures.Figure> all = SampledFigures.of(answer);
    assertThat(all).containsOnlyKeys(truth.keySet());
    all.forEach((path, figure) -> {
      SampledFigures.Figure whole = Objects.requireNonNull(truth.get(path));
      double tolerance = path.startsWith("tail") ? 1 : 1e-7; // a digest is an approximation
      assertThat(figure.value()).as(path).isCloseTo(whole.value(), withinPercentage(tolerance));
      assertThat(figure.holds(new SampledFigures.Figure(figure.value(), null, null)))
          .as(path)
          .isTrue();
      assertThat(Objects.requireNonNull(figure.upper()).doubleValue())
          .as(path)
          .isEqualTo(figure.value());
    });
    assertThat(search("").keySet()).doesNotContain("_sampling");
  }

  @Test
  void sampleEachIndexSeparately() {
    RestReply reply =
        bed.rest()
            .send(
                "POST",
                "/visits*/_search?sample=0.2&sample_seed=1&filter_path=_sampling,_shards",
                BODY);
    assertThat(at(json(reply.body()), "_sampling", "shards"))
        .containsEntry("total", SHARDS + 4)
        .containsEntry("sampled", 6 + 3);
  }

  /** Few shards have matches, and the search queries them in the order of their values. */
  private static final String RARE =
      """
      {"size": 0, "sort": [{"at": "desc"}], "query": {"range": {"at": {"lt": 30}}}, "aggs": {
        "pages": {"terms": {"field": "page"}, "aggs": {"items": {"sum": {"field": "items"}}}},
        "items": {"sum": {"field": "items"}}}}
      """;

  private static Map<String, Object> rare(String parameters) {
    RestReply reply = bed.rest().send("POST", "/visits*/_search" + parameters, RARE);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    Map<String, Object> answer = json(reply.body());
    assertThat(answer.remove("took")).isNotNull();
    return answer;
  }

  @Test
  void keepEstimatesWhenOtherShardsHaveNoMatch() {
    Map<String, Object> truth = rare("?pre_filter_shard_size=1");
    Map<String, Object> all = rare("?pre_filter_shard_size=1&sample=1");
    assertThat(at(all, "_shards")).isEqualTo(at(truth, "_shards"));
    assertThat(skipped(all)).isGreaterThan(5);
    assertThat(at(all, "_sampling", "shards")).containsEntry("answered", SHARDS + 4);
    assertThat(at(all, "_sampling"))
        .containsEntry("sampled", false)
        .containsEntry("reason", "the request asks for all " + (SHARDS + 4) + " shards");
    assertThat(SampledFigures.of(all)).containsOnlyKeys(SampledFigures.of(truth).keySet());
    SampledFigures.of(all)
        .forEach((path, figure) ->
            assertThat(figure.value())
                .as(path)
                .isEqualTo(Objects.requireNonNull(SampledFigures.of(truth).get(path)).value()));
    for (int seed = 1; seed < 4; seed++) {
      String sample = "?sample=0.3&sample_seed=" + seed;
      Map<String, Object> skipping = rare(sample + "&pre_filter_shard_size=1");
      assertThat(skipped(skipping)).isPositive();
      skipping.remove("_shards");
      Map<String, Object> asking = rare(sample + "&pre_filter_shard_size=128");
      assertThat(asking.remove("_shards")).isNotNull();
      assertThat(skipping).isEqualTo(asking);
    }
  }

  private static int skipped(Map<String, Object> answer) {
    return ((Number) Objects.requireNonNull(at(answer, "_shards").get("skipped"))).intValue();
  }

  private static final String NOTHING = "{\"size\": 0}";

  @ParameterizedTest
  @CsvSource({
    "?sample=2, got [2] for [sample] (expected: a fraction over 0 and up to 1",
    "?sample=some, got [some] for [sample]",
    "?sample=0.1&sample_shards=3, either it or [sample]",
    "?sample_shards=0, how many shards to ask",
    "?sample_seed=3, [sample] or [sample_shards] too",
    "?sample=0.1&sample_seed=x, a whole number",
    "?sample=0.1&sample_confidence=1, for [sample_confidence]",
    "?sample=0.1&size=5, a search for hits"
  })
  void rejectInvalidParameters(String parameters, String told) {
    refused(parameters, NOTHING, told);
  }

  @Test
  void rejectSearchesThatCannotBeSampled() {
    refused("?sample=0.1", "{}", "a search for hits");
    refused(
        "?sample=0.1",
        "{\"size\": 0, \"aggs\": {\"c\": {\"cardinality\": {\"field\": \"n\"}}}}",
        "the aggregation [c] (cardinality), which can't be sampled (expected: a search of its own");
  }

  private static void refused(String parameters, String body, String told) {
    RestReply reply = bed.rest().send("POST", "/" + INDEX + "/_search" + parameters, body);
    assertThat(reply.status()).as(reply.body()).isEqualTo(400);
    assertThat(reply.body()).contains(told);
  }

  @Test
  void rejectTheParameterOnOtherRequests() {
    assertThat(bed.rest().send("GET", "/" + INDEX + "/_count?sample=0.1").status()).isEqualTo(400);
    assertThat(
            bed.rest()
                .bulk(
                    "/" + INDEX + "/_msearch?sample=0.1",
                    "{}\n{\"size\":0}\n".getBytes(StandardCharsets.UTF_8))
                .status())
        .isEqualTo(400);
    assertThat(
            bed.rest()
                .send("POST", "/" + INDEX + "/_search?sample=0.1&search_pipeline=p", "{\"size\":0}")
                .status())
        .isEqualTo(406);
  }

  @Test
  void columnsHaveTheBoundsToo() {
    RestReply reply =
        bed.rest()
            .send("POST", "/" + INDEX + "/_search?sample=0.2&sample_seed=1&columnar=true", BODY);
    Map<String, Object> answer = json(reply.body());
    assertThat(at(answer, "_sampling", "hits", "total")).containsOnlyKeys("lower", "upper");
    assertThat(list(at(answer, "aggregations", "pages").get("columns")))
        .extracting(column -> map(column).get("name"))
        .contains("doc_count", "doc_count_bounds.lower", "duration", "duration.bounds.upper");
    RestReply csv =
        bed.rest()
            .send(
                "POST",
                "/" + INDEX + "/_search?sample=0.2&sample_seed=1&columnar=csv&columnar_table=pages",
                BODY);
    assertThat(csv.body()).startsWith("pages,doc_count,doc_count_bounds.lower");
  }

  @Test
  void countSampledSearches() {
    int before = leftOut();
    search("?sample=0.1&sample_seed=1");
    assertThat(leftOut() - before).isEqualTo(27);
    assertThat(bed.admin().send("GET", "/metrics").body())
        .contains("weir_sampling_searches_total", "weir_sampling_skipped_shards_total");
  }

  private static int leftOut() {
    Map<String, Object> stats = json(bed.admin().send("GET", "/stats").body());
    return ((Number) Objects.requireNonNull(at(stats, "sampling").get("skipped_shards")))
        .intValue();
  }

  @Test
  void verifyTheExamples() throws IOException {
    List<DocExamples.Example> examples = DocExamples.of("sampling.md");
    assertThat(examples).hasSizeGreaterThan(1);
    for (DocExamples.Example example : examples) {
      RestReply reply = bed.rest().send(example.method(), example.path(), example.body());
      if (example.kind().equals("csv")) {
        assertThat(reply.body()).isEqualTo(example.answer().replace("\n", "\r\n"));
        continue;
      }
      assertThat(lasting(reply.body())).as(reply.body()).isEqualTo(lasting(example.answer()));
    }
  }

  private static Map<String, Object> lasting(String answer) {
    Map<String, Object> lasting = json(answer);
    lasting.keySet().removeAll(List.of("took", "terminated_early"));
    return lasting;
  }

  @Test
  void parseASampleWithATypedClient() {
    String path = "/" + INDEX + "/_search?sample=0.2&sample_seed=1&typed_keys=true";
    String answer = bed.rest().send("POST", path, BODY).body();
    JsonpMapper mapper = new JacksonJsonpMapper();
    Map<String, Aggregate> read =
        SearchResponse.createSearchResponseDeserializer(JsonData._DESERIALIZER)
            .deserialize(mapper.jsonProvider().createParser(new StringReader(answer)), mapper)
            .aggregations();

    StringTermsBucket home =
        Objects.requireNonNull(read.get("pages")).sterms().buckets().array().getFirst();
    assertThat(home.key()).isEqualTo("home");
    Map<String, Aggregate> inner = home.aggregations();
    assertThat(Objects.requireNonNull(inner.get("duration")).avg().value()).isPositive();
    JsonData bounds =
        Objects.requireNonNull(inner.get("doc_count_bounds")).scriptedMetric().value();
    assertThat(bounds.toJson().asJsonObject().getInt("upper")).isGreaterThan((int) home.docCount());
  }

  @Test
  void rejectSamplingByPolicy() {
    try (TestBed strict =
        TestBed.withSections(NODES.seeds(), "responses: {sampling: {enabled: false}}")) {
      RestReply refused =
          strict.rest().send("POST", "/" + INDEX + "/_search?sample=0.1", "{\"size\":0}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains("responses.sampling.enabled");
      strict.gateway().reload(policy("responses: {sampling: {min-shards-per-index: 12}}"));
      RestReply sampled =
          strict.rest().send("POST", "/" + INDEX + "/_search?sample=0.1", "{\"size\":0}");
      assertThat(at(json(sampled.body()), "_sampling", "shards")).containsEntry("sampled", 12);
    }
  }

  private static LoadResult policy(String more) {
    String seeds = String.join("\", \"", NODES.seeds());
    return new PolicyLoader(Map.of())
        .parse("test.yaml", "clusters: {main: {seeds: [\"" + seeds + "\"]}}\n" + more + "\n");
  }
}
