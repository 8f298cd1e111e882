package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.JsonResponse;
import dev.weir.it.plugin.PluginPlacements;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bulks with ingest pipelines get a node's response and leave what a node would write. */
class IngestPipelineIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final Pattern VARYING =
      Pattern.compile(
          "(?<=\"(took|ingest_took|_seq_no)\":)\\d+"
              + "|straight|through|\"index_uuid\":\"[\\w-]+\"|\\[[\\w-]{22}]"
              + "|(?<=\"_id\":\")[\\w-]{20}(?=\")");
  private static final String SINGLE_SHARD =
      "bulk: {single-shard: {indices: [\"ingest-*\"], min-shards: 2}}";

  /** The pipelines, whose names begin with {@code ingest-}, and their processors. */
  private static final List<List<String>> PIPELINES =
      List.of(
          List.of("default", "{\"set\":{\"field\":\"by\",\"value\":\"default {{_index}}\"}}"),
          List.of("final", "{\"append\":{\"field\":\"steps\",\"value\":\"final\"}}"),
          List.of(
              "picky",
              "{\"fail\":{\"if\":\"ctx.n % 3 == 0\",\"message\":\"no {{n}} in {{_id}}\"}},"
                  + "{\"set\":{\"field\":\"by\",\"value\":\"picky\"}}"),
          List.of(
              "strange",
              "{\"dissect\":{\"field\":\"text\",\"pattern\":\"%{a}:%{b}\",\"if\":\"ctx.n % 4 =="
                  + " 0\"}},{\"json\":{\"field\":\"text\",\"if\":\"ctx.n % 4 =="
                  + " 1\"}},{\"date\":{\"field\":\"text\",\"formats\":[\"yyyy\"],\"if\":\"ctx.n % 4"
                  + " == 2\"}},{\"script\":{\"source\":\"ctx.n = ctx.missing.n\"}}"),
          List.of(
              "forgiving",
              "{\"convert\":{\"field\":\"text\",\"type\":\"integer\",\"on_failure\":["
                  + "{\"set\":{\"field\":\"error\",\"value\":\"{{_ingest.on_failure_message}}\"}}]}}"),
          List.of("thrifty", "{\"drop\":{\"if\":\"ctx.n % 5 == 0\"}}"),
          List.of(
              "moving",
              "{\"set\":{\"field\":\"_id\",\"value\":\"moved-{{n}}\",\"if\":\"ctx.n % 2 =="
                  + " 0\"}},{\"set\":{\"field\":\"_routing\",\"value\":\"r{{n}}\",\"if\":\"ctx.n %"
                  + " 3 =="
                  + " 0\"}},{\"set\":{\"field\":\"_index\",\"value\":\"{{_index}}-moved\",\"if\":\"ctx.n"
                  + " % 4 == 0\"}}"));

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.withSections(NODES.seeds(), SINGLE_SHARD);
    for (List<String> pipeline : PIPELINES) {
      putPipeline(pipeline.get(0), pipeline.get(1));
    }
    put(
        "/_index_template/ingest",
        "{\"index_patterns\":[\"ingest-new*\",\"ingest-*-moved\"],\"template\":{\"settings\":"
            + "{\"number_of_shards\":2,\"number_of_replicas\":0,"
            + "\"default_pipeline\":\"ingest-default\",\"final_pipeline\":\"ingest-final\"}}}");
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/ingest-*").orThrow();
    NODES.rest().send("DELETE", "/_index_template/ingest").orThrow();
    NODES.rest().send("DELETE", "/_ingest/pipeline/ingest-*").orThrow();
    bed.close();
  }

  private static void put(String path, String body) {
    bed.rest().send("PUT", path, body).orThrow();
  }

  private static void putPipeline(String name, String processors) {
    put("/_ingest/pipeline/ingest-" + name, "{\"processors\":[" + processors + "]}");
  }

  /** Creates both indices of a test, for bulks to a node and through the gateway. */
  private static void createIndices(String name, String settings) {
    for (String way : List.of("straight", "through")) {
      put(
          "/ingest-" + name + "-" + way,
          "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":0" + settings + "}}");
    }
  }

  private static String same(RestReply reply) {
    return reply.status() + normalize(reply.body().replaceAll("\\s+", ""));
  }

  private static String normalize(String text) {
    return VARYING.matcher(text).replaceAll("");
  }

  /** The documents of an index and of those that its documents moved to, in any order. */
  private static List<String> content(String index) {
    NODES.rest().send("POST", "/" + index + "*/_refresh").orThrow();
    String found =
        NODES.rest().send("GET", "/" + index + "*/_search?size=1000&version=true").orThrow().body();
    return Pattern.compile("(\\[|\\},)\\{(?=\"_index\":)|\\}\\]\\}\\}$")
        .splitAsStream(normalize(found))
        .filter(hit -> hit.startsWith("\"_index\""))
        .sorted()
        .toList();
  }

  /** Documents without ids if {@code id} is empty, otherwise with their numbers in the id. */
  private static String documents(String id, int count) {
    return IntStream.range(0, count)
        .mapToObj(n ->
            "{\"index\":{"
                + (id.isEmpty() ? "" : "\"_id\":\"" + id + n + "\"")
                + "}}\n{\"n\":"
                + n
                + ",\"text\":\"text "
                + n
                + "\"}\n")
        .collect(Collectors.joining());
  }

  private static long ingested() {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).number("ingest_pipelines.bulks");
  }

  /**
   * Sorts the items: a node puts those that fail in the order in which they do, the gateway in that
   * of the bulk.
   */
  private static List<String> inOrder(String answer) {
    return Pattern.compile("(\\[|\\},)\\{(?=\"(index|create|update|delete)\":)|\\}\\]\\}$")
        .splitAsStream(answer)
        .sorted()
        .toList();
  }

  /** Sends a bulk both ways; returns the gateway's response. */
  private static String compare(String name, String path, String lines) {
    long before = ingested();
    RestReply straight =
        NODES.rest().bulk("/ingest-" + name + "-straight" + path, lines.getBytes(UTF_8));
    RestReply through =
        bed.rest().bulk("/ingest-" + name + "-through" + path, lines.getBytes(UTF_8));
    assertThat(straight.status()).as(straight.body()).isEqualTo(200);
    assertThat(inOrder(same(through))).isEqualTo(inOrder(same(straight)));
    assertThat(content("ingest-" + name + "-through"))
        .isEqualTo(content("ingest-" + name + "-straight"));
    assertThat(ingested() - before)
        .as("bulks whose pipelines a node ran for the gateway")
        .isEqualTo(PluginPlacement.ofThisRun() == PluginPlacement.NONE ? 0 : 1);
    bed.assertNothingHeld();
    return through.body();
  }

  @Test
  void runsDefaultAndFinalPipelines() {
    createIndices("default", ",\"default_pipeline\":\"ingest-default\"");
    assertThat(compare("default", "/_bulk", documents("", 20))).contains("\"ingest_took\":");
    createIndices("final", ",\"final_pipeline\":\"ingest-final\"");
    compare("final", "/_bulk?pretty", documents("f", 20));
    createIndices(
        "both", ",\"default_pipeline\":\"ingest-default\",\"final_pipeline\":\"ingest-final\"");
    compare("both", "/_bulk?filter_path=-items.*._shards", documents("b", 20));
    assertThat(content("ingest-both-through"))
        .hasSize(20)
        .allMatch(hit -> hit.contains("default ") && hit.contains("[\"final\"]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"picky", "strange", "forgiving", "thrifty", "moving", "absent"})
  void answersAsANodeWhatAPipelineMakesOfItems(String pipeline) {
    createIndices(pipeline, "");
    String path = "/_bulk?pipeline=ingest-" + pipeline;
    compare(pipeline, path, documents("i", 24));
    compare(pipeline, path, documents("i", 3)); // few items, others that exist
    compare(pipeline, path + "&refresh=true", documents("", 24));
  }

  /** Items with pipelines of their own, with none, and of operations that have none. */
  @Test
  void takesItemsOfAllKindsTogether() {
    createIndices("mixed", ",\"default_pipeline\":\"ingest-picky\"");
    String document = "\n{\"n\":%d,\"text\":\"7\"}\n";
    String lines =
        "{\"index\":{\"_id\":\"1\"}}"
            + document.formatted(1)
            + "{\"index\":{\"_id\":\"2\",\"pipeline\":\"_none\"}}"
            + document.formatted(3)
            + "{\"create\":{\"_id\":\"1\",\"pipeline\":\"ingest-forgiving\"}}"
            + document.formatted(3)
            + "{\"index\":{\"_id\":\"4\",\"pipeline\":\"ingest-absent\"}}"
            + document.formatted(4)
            + "{\"delete\":{\"_id\":\"2\"}}\n"
            + "{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{\"n\":3}}\n"
            + "{\"update\":{\"_id\":\"5\"}}\n{\"doc\":{\"n\":5},\"upsert\":{\"n\":7}}\n"
            + "{\"update\":{\"_id\":\"6\"}}\n{\"doc\":{\"n\":6},\"upsert\":{\"n\":6}}\n"
            + "{\"update\":{\"_id\":\"7\"}}\n{\"doc\":{\"n\":8},\"doc_as_upsert\":true}\n"
            + "{\"update\":{\"_id\":\"8\"}}\n{\"doc\":{\"n\":9},\"doc_as_upsert\":true}\n"
            + "{\"index\":{\"_id\":\"9\",\"routing\":\"x\",\"if_seq_no\":5,\"if_primary_term\":1}}"
            + document.formatted(10);
    String answer = compare("mixed", "/_bulk", lines);
    assertThat(answer).contains("\"errors\":true", "no 6 in ", "pipeline with id [ingest-absent]");
    compare("mixed", "/_bulk?require_alias=true", lines);
  }

  @Test
  void createsIndicesWhoseTemplateHasPipelines() {
    compare("new", "/_bulk", documents("", 12));
    assertThat(content("ingest-new-through"))
        .hasSize(12)
        .allMatch(hit -> hit.contains("default ") && hit.contains("[\"final\"]"));
  }

  @Test
  void seesAPipelineThatWasDeletedOrChanged() {
    putPipeline("brief", "{\"set\":{\"field\":\"by\",\"value\":\"one\"}}");
    createIndices("brief", ",\"default_pipeline\":\"ingest-brief\"");
    compare("brief", "/_bulk", documents("a", 3));
    putPipeline("brief", "{\"set\":{\"field\":\"by\",\"value\":\"two\"}}");
    compare("brief", "/_bulk", documents("b", 3));
    bed.rest().send("DELETE", "/_ingest/pipeline/ingest-brief").orThrow();
    assertThat(compare("brief", "/_bulk", documents("c", 3)))
        .contains("pipeline with id [ingest-brief] does not exist");
  }

  private static long runs(String pipeline) {
    Matcher counts =
        Pattern.compile("\"count\":(\\d+)")
            .matcher(
                NODES
                    .rest()
                    .send(
                        "GET",
                        "/_nodes/stats/ingest?filter_path=nodes.*.ingest.pipelines."
                            + pipeline
                            + ".count")
                    .orThrow()
                    .body());
    return counts.results().mapToLong(count -> Long.parseLong(count.group(1))).sum();
  }

  @Test
  void countsEachDocumentOnceInTheNodesMetrics() {
    createIndices("metric", ",\"default_pipeline\":\"ingest-default\"");
    long before = runs("ingest-default");
    bed.rest().bulk("/ingest-metric-through/_bulk", documents("m", 10).getBytes(UTF_8)).orThrow();
    assertThat(runs("ingest-default") - before).isEqualTo(10);
  }

  /** Documents go to one shard after their pipeline, and each is found by its id. */
  @Test
  void sendsDocumentsWithoutIdsToOneShard() {
    PluginPlacements.assumeOnAllNodes();
    createIndices("single", ",\"default_pipeline\":\"ingest-default\"");
    String answer =
        bed.rest()
            .bulk("/ingest-single-through/_bulk?refresh=true", documents("", 30).getBytes(UTF_8))
            .orThrow()
            .body();
    String counts =
        NODES
            .rest()
            .send("GET", "/_cat/shards/ingest-single-through?h=docs&format=json")
            .orThrow()
            .body();
    assertThat(counts).contains("\"30\"").contains("\"0\"");
    Matcher ids = Pattern.compile("\"_id\":\"([\\w-]+)\"").matcher(answer);
    assertThat(ids.results().map(id -> id.group(1)).limit(5))
        .hasSize(5)
        .allSatisfy(id ->
            assertThat(NODES.rest().send("GET", "/ingest-single-through/_doc/" + id).body())
                .contains("\"by\":\"default ingest-single-through\""));
  }

  /** A single document passes through. */
  @Test
  void answersForSingleDocuments() {
    createIndices("one", ",\"default_pipeline\":\"ingest-picky\"");
    long before = ingested();
    for (String body : List.of("{\"n\":1}", "{\"n\":3}")) {
      assertThat(same(bed.rest().send("PUT", "/ingest-one-through/_doc/1", body)))
          .isEqualTo(same(NODES.rest().send("PUT", "/ingest-one-straight/_doc/1", body)));
    }
    assertThat(content("ingest-one-through")).isEqualTo(content("ingest-one-straight"));
    assertThat(ingested()).isEqualTo(before);
  }
}
