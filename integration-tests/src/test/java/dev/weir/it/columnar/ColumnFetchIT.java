package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.it.faults.Await;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Columns that nodes with the plugin return are, to the bit, those that the gateway makes of hits;
 * in front of a node with the plugin and one without.
 *
 * <p>Stored fields by a pattern that nothing matches add nothing to a response, and make the
 * gateway ask for hits.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 4)
class ColumnFetchIT {
  private static final String AS_HITS = "\"stored_fields\":[\"nothing-matches*\"],";
  private static final List<String> FORMATS = List.of("json", "csv", "arrow");

  private static final String ALL_FIELDS =
      "\"docvalue_fields\":[\"number\",\"key\",\"keys\",\"byte\",\"short\",\"int\",\"long\","
          + "\"unsigned\",\"half\",\"float\",\"double\",\"scaled\",\"flag\",\"day\",\"time\",\"nanos\","
          + "\"ip\",\"point\",\"text.raw\",\"other\",\"object.size\",\"constant\",\"nested.inner\","
          + "\"nowhere\",\"far\"],";

  private final DataNodeCluster cluster = DataNodeCluster.start(mixedCluster());
  private final TestBed bed = TestBed.inFrontOf(cluster.seeds());
  private final BytesClient caller = new BytesClient(bed.uri());

  private static ClusterSpec mixedCluster() {
    return new ClusterSpec(
        "weir-columns",
        List.of(NodeSpec.of("with"), NodeSpec.of("without").withoutPlugins()),
        PortPlan.ANY_FREE,
        null,
        true,
        line -> {});
  }

  @BeforeAll
  void load() {
    RandomColumnDocuments.load(cluster.rest());
    Await.untilValue(
        "the capability",
        () -> bed.admin().send("GET", "/stats").orThrow().body(),
        stats -> stats.contains("column-fetch"));
  }

  @AfterAll
  void close() {
    caller.close();
    bed.close();
    cluster.close();
  }

  /** The indices, then after the bar the search. All shards return columns. */
  static List<String> asColumns() {
    String sorted = "\"size\":500,\"sort\":[{\"number\":\"asc\"}]";
    return List.of(
        "cf-types | {" + ALL_FIELDS + sorted + "}",
        "cf-sorted | {" + ALL_FIELDS + sorted + "}",
        "cf-single | {" + ALL_FIELDS + sorted + "}",
        "cf-types,cf-other | {" + ALL_FIELDS + sorted + "}",
        "cf-types,cf-single |"
            + " {\"docvalue_fields\":[\"number\",{\"field\":\"day\",\"format\":\"yyyy/MM\"},"
            + "{\"field\":\"long\",\"format\":\"0.00\"},{\"field\":\"time\",\"format\":\"epoch_millis\"},"
            + "{\"field\":\"nanos\",\"format\":\"strict_date_time\"},{\"field\":\"double\"}],"
            + sorted
            + "}",
        "cf-types | {"
            + ALL_FIELDS
            + "\"from\":37,\"size\":11,\"sort\":[{\"day\":\"desc\"},\"number\"]}",
        "cf-types | {"
            + ALL_FIELDS
            + "\"size\":20,\"sort\":[{\"key\":\"asc\"},\"number\"],\"search_after\":[\"k3\",100]}",
        "cf-types,cf-single | {"
            + ALL_FIELDS
            + "\"size\":150,\"query\":{\"match\":{\"text\":\"red blue\"}}}",
        "cf-single | {" + ALL_FIELDS + "\"size\":150,\"query\":{\"match\":{\"text\":\"red\"}}}",
        "cf-types | {"
            + ALL_FIELDS
            + "\"sort\":[\"_score\",\"number\"],\"query\":{\"match\":{\"text\":\"red blue\"}}}",
        "cf-types |"
            + " {\"docvalue_fields\":[\"key\"],\"aggs\":{\"k\":{\"terms\":{\"field\":\"key\"}}},"
            + sorted
            + "}",
        "cf-types | {"
            + ALL_FIELDS
            + "\"sort\":[\"number\"],\"query\":{\"nested\":{\"path\":\"nested\",\"query\":{\"exists\":{\"field\":\"nested.inner\"}}}}}");
  }

  @ParameterizedTest
  @MethodSource("asColumns")
  void columnsAreThoseOfHits(String line) throws IOException {
    long hits = replies("hits");
    for (String format : FORMATS) {
      long before = replies("columns");
      assertSame(line, format);
      assertThat(replies("columns")).as("%s of %s", format, line).isGreaterThan(before);
    }
    assertThat(replies("hits")).as("replies with hits to %s", line).isEqualTo(hits);
  }

  /** Searches where nodes, or some nodes, return hits. */
  static List<String> asHits() {
    String sorted = "\"size\":500,\"sort\":[{\"number\":\"asc\"}]";
    return List.of(
        "cf-mixed | {" + ALL_FIELDS + sorted + "}",
        "cf-mixed,cf-types,cf-other | {"
            + ALL_FIELDS
            + "\"size\":200,\"sort\":[\"number\"],\"from\":3}",
        "cf-mixed,cf-types | {" + ALL_FIELDS + "\"query\":{\"match\":{\"text\":\"red blue\"}}}",
        "cf-ignored,cf-types | {" + ALL_FIELDS + sorted + "}",
        "cf-types | {\"docvalue_fields\":[\"k*\",\"d*\"]," + sorted + "}",
        "cf-types | {\"docvalue_fields\":[\"key\",\"key\",\"_seq_no\",\"object\"]," + sorted + "}",
        "cf-types |"
            + " {\"docvalue_fields\":[\"key\"],\"collapse\":{\"field\":\"key\"},\"sort\":[\"number\"]}",
        "cf-types | {\"docvalue_fields\":[\"key\"],\"version\":true,\"seq_no_primary_term\":true,"
            + sorted
            + "}",
        "cf-types | {\"docvalue_fields\":[\"key\"],\"track_scores\":true," + sorted + "}",
        "cf-types |"
            + " {\"docvalue_fields\":[\"key\"],\"query\":{\"term\":{\"key\":{\"value\":\"k1\",\"_name\":\"n\"}}},"
            + sorted
            + "}",
        "cf-types | {\"docvalue_fields\":[\"key\"],\"query\":{\"match_none\":{}}}",
        // the fetch phase fails in one index: no doc values of text
        "cf-types,cf-other | {\"docvalue_fields\":[\"number\",\"text\"]," + sorted + "}",
        // the query phase fails on the shard that has this number
        "cf-types | {\"docvalue_fields\":[\"number\"],\"query\":{\"script\":{\"script\":"
            + "\"if (doc['number'].value == 7L) throw new Exception('seven'); return true\"}},"
            + sorted
            + "}");
  }

  @ParameterizedTest
  @MethodSource("asHits")
  void whereColumnsDoNotApplyNothingChanges(String line) throws IOException {
    for (String format : FORMATS) {
      assertSame(line, format);
    }
  }

  @Test
  void columnsOfAPointInTime() throws IOException {
    RestReply opened = bed.rest().send("POST", "/cf-types/_search/point_in_time?keep_alive=1m", "");
    Matcher id = Pattern.compile("\"pit_id\":\"([^\"]+)\"").matcher(opened.orThrow().body());
    assertThat(id.find()).isTrue();
    long before = replies("columns");
    for (String format : FORMATS) {
      assertSame(
          " | {"
              + ALL_FIELDS
              + "\"size\":100,\"sort\":[\"number\"],\"pit\":{\"id\":\""
              + id.group(1)
              + "\",\"keep_alive\":\"1m\"}}",
          format);
    }
    assertThat(replies("columns")).isGreaterThan(before);
    bed.rest()
        .send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + id.group(1) + "\"]}")
        .orThrow();
  }

  @Test
  void leavesOutIds() {
    String search = "{\"docvalue_fields\":[\"key\"],%s\"size\":300,\"sort\":[\"number\"]}";
    long before = replies("columns");
    String without =
        search("/cf-types", "json", search.formatted("\"stored_fields\":\"_none_\",")).text();
    assertThat(replies("columns")).isGreaterThan(before);
    Map<String, Object> rows = ExpectedRows.json(without);
    Map<String, Object> expected =
        ExpectedRows.json(search("/cf-types", "json", search.formatted("")).text());
    List<Object> values = ExpectedRows.list(rows.get("values"));
    List<Object> others = ExpectedRows.list(expected.get("values"));
    assertThat(rows.get("columns")).isEqualTo(expected.get("columns"));
    assertThat(values.get(2)).isEqualTo(others.get(2));
    assertThat(ExpectedRows.list(values.get(1))).hasSize(300).containsOnlyNulls();
    assertThat(ExpectedRows.list(others.get(1))).doesNotContainNull();
  }

  private void assertSame(String line, String format) throws IOException {
    int bar = line.indexOf(" | ");
    String path = bar == 0 ? "" : "/" + line.substring(0, bar);
    String body = line.substring(bar + 3);
    Answer columns = search(path, format, body);
    Answer hits = search(path, format, "{" + AS_HITS + body.substring(1));
    if (format.equals("arrow")) {
      assertThat(ArrowRows.read(columns.bytes()).fields())
          .isEqualTo(ArrowRows.read(hits.bytes()).fields());
      assertThat(afterSchema(columns.bytes())).as(line).isEqualTo(afterSchema(hits.bytes()));
    } else {
      assertThat(withoutTook(columns.text())).as(line).isEqualTo(withoutTook(hits.text()));
    }
    assertThat(withoutTook(columns.header("X-Weir-Response-Metadata")))
        .isEqualTo(withoutTook(hits.header("X-Weir-Response-Metadata")));
  }

  private Answer search(String path, String format, String body) {
    Answer answer = caller.search(path + "/_search?columnar=" + format, body, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  private static String withoutTook(String json) {
    return json.replaceFirst("\"took\":\\d+", "\"took\":0");
  }

  /** The dictionaries and the batch; the schema before them has the time that the search took. */
  private static byte[] afterSchema(byte[] stream) {
    int length = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
    return Arrays.copyOfRange(stream, 8 + length, stream.length);
  }

  private long replies(String form) {
    String stats = bed.admin().send("GET", "/stats").orThrow().body();
    Matcher section = Pattern.compile("\"column_fetch\"\\s*:\\s*\\{([^}]*)}").matcher(stats);
    assertThat(section.find()).as(stats).isTrue();
    Matcher count = Pattern.compile("\"" + form + "\"\\s*:\\s*(\\d+)").matcher(section.group(1));
    assertThat(count.find()).as(section.group()).isTrue();
    return Long.parseLong(count.group(1));
  }
}
