package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Scanner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Parts that {@code filter_path} excludes are not fetched, and the response equals a node's. */
@Drawn(oneIn = 3)
class FilterPathIT {
  private static final DataNodeCluster NODES = SharedCluster.get();

  private static final String SORTED = "\"sort\": [\"n\"], \"size\": 7";

  /** Searches with ordinary hits. */
  private static final List<String> PLAIN =
      List.of(
          "{" + SORTED + "}",
          "{\"query\": {\"match\": {\"title\": \"odd\"}}, \"sort\": [\"_score\", \"n\"]}",
          "{\"from\": 28, " + SORTED + "}");

  /** Searches with rare parts of hits, some of which fail in the fetch phase. */
  static final List<String> RARE =
      List.of(
          "{\"size\": 0, \"aggs\": {\"a\": {\"terms\": {\"field\": \"word\"}}}}",
          "{\"_source\": false, " + SORTED + "}",
          "{\"_source\": [\"n\", \"o.a\"], " + SORTED + "}",
          "{\"_source\": true, \"stored_fields\": \"_none_\", " + SORTED + "}",
          "{\"stored_fields\": \"_none_\", " + SORTED + "}",
          "{\"stored_fields\": [\"n\"], " + SORTED + "}",
          "{\"stored_fields\": [\"n\", \"_source\"], " + SORTED + "}",
          "{\"stored_fields\": [\"parts\"], " + SORTED + "}",
          "{\"version\": true, \"seq_no_primary_term\": true, " + SORTED + "}",
          "{\"explain\": true, \"query\": {\"term\": {\"n\": 3}}}",
          "{\"fields\": [\"word\", \"title\"], " + SORTED + "}",
          "{\"docvalue_fields\": [\"word\"], " + SORTED + "}",
          "{\"docvalue_fields\": [\"title\"], " + SORTED + "}",
          "{\"script_fields\": {\"s\": {\"script\": \"doc['n'].value * 2\"}}, " + SORTED + "}",
          "{\"script_fields\": {\"s\": {\"script\": \"doc['no'].value\"}}, " + SORTED + "}",
          "{\"highlight\": {\"fields\": {\"title\": {}}}, \"query\": {\"match\": {\"title\":"
              + " \"even\"}}, "
              + SORTED
              + "}",
          "{\"collapse\": {\"field\": \"word\", \"inner_hits\": {\"name\": \"i\", \"size\": 2,"
              + " \"sort\": [\"n\"]}}, "
              + SORTED
              + "}",
          "{\"query\": {\"nested\": {\"path\": \"parts\", \"query\": {\"range\": {\"parts.p\":"
              + " {\"gte\": 20}}}, \"inner_hits\": {}}}, "
              + SORTED
              + "}",
          "{\"query\": {\"nested\": {\"path\": \"parts\", \"query\": {\"match_all\": {}},"
              + " \"inner_hits\": {\"docvalue_fields\": [\"title\"]}}}, "
              + SORTED
              + "}",
          "{\"aggs\": {\"t\": {\"top_hits\": {\"size\": 2, \"sort\": [\"n\"]}}}, " + SORTED + "}",
          "{\"suggest\": {\"s\": {\"prefix\": \"hint 1\", \"completion\": {\"field\": \"hint\"}}}, "
              + SORTED
              + "}",
          "{\"query\": {\"match\": {\"_name\": \"m\"}}}",
          "{\"query\": {\"term\": {\"word\": {\"value\": \"word1\", \"_name\": \"m\"}}}, "
              + SORTED
              + "}");

  static final List<String> PATHS =
      List.of(
          "took",
          "hits.total",
          "hits.total.value,_shards",
          "hits.max_score,timed_out",
          "hits.hits",
          "hits.hits._id",
          "hits.hits._score",
          "hits.hits._index,hits.hits.sort",
          "hits.hits._routing,hits.hits._ignored",
          "hits.hits._s*",
          "hits.hits._source",
          "hits.hits._source.n",
          "hits.hits._source.o",
          "hits.hits._source.o.b.c",
          "hits.hits.o",
          "hits.hits.fields,hits.hits.inner_hits",
          "hits.*._id",
          "hits.*",
          "*.hits",
          "*.*.sort",
          "h*.h*._i*",
          "**",
          "**._id",
          "**._source",
          "**.n",
          "hits.**.p",
          "hits.**",
          "**.hits.total",
          "nothing.of.it",
          "-hits",
          "-hits.hits",
          "-hits.hits._source",
          "-hits.hits._source.o",
          "-hits.hits._*",
          "-hits.hits.*",
          "-**._source",
          "-**.n",
          "-*",
          "-**",
          "-hits.hits._source,hits.hits",
          "hits,-hits.hits",
          "hits.hits._source,-hits.hits._source.o",
          "hits.hits,-**._id",
          "took,-took",
          "aggregations,suggest,_shards",
          "_shards.failures.reason.reason,hits.hits._index",
          "hits.hits.highlight,hits.hits.matched_queries,hits.hits._explanation.value",
          ",,hits.total,",
          "hits.hits\\.x,hits\\.hits");

  /** A few of each kind, for the searches of which there are many. */
  private static final List<String> SOME_PATHS =
      List.of(
          "took,hits.total,_shards",
          "hits.hits._score,_shards.failed",
          "hits.hits._id,_shards.failures.reason.caused_by",
          "-hits.hits._source",
          "**.inner_hits,hits.hits.fields,suggest,aggregations",
          "hits.hits._source.n,status,error.type");

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.inFrontOf(NODES.seeds());
    ReadTestIndices.create(NODES.rest());
  }

  @AfterAll
  static void close() {
    ReadTestIndices.delete(NODES.rest());
    bed.assertNothingHeld();
    bed.close();
  }

  private static void assertSame(String method, String path, String body) {
    RestReply node = NODES.rest().send(method, path, body);
    RestReply here = bed.rest().send(method, path, body);
    assertThat(here.status() + ReadTestIndices.maskVolatileValues(here.body()))
        .as(path + " " + body)
        .isEqualTo(node.status() + ReadTestIndices.maskVolatileValues(node.body()));
  }

  private static String search(String index, String filterPath) {
    return "/"
        + index
        + "/_search?filter_path="
        + URLEncoder.encode(filterPath, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @FieldSource("PATHS")
  void filterOrdinaryHitsLikeANode(String filterPath) {
    assertSame("POST", search(ReadTestIndices.WIDE, filterPath), PLAIN.get(0));
    assertSame("POST", search(ReadTestIndices.NARROW, filterPath), PLAIN.get(0));
    assertSame("POST", search(ReadTestIndices.WIDE, filterPath), PLAIN.get(1));
    assertSame("POST", search(ReadTestIndices.NARROW, filterPath), PLAIN.get(2));
  }

  @ParameterizedTest
  @FieldSource("RARE")
  void filterRareHitsLikeANode(String body) {
    for (String filterPath : SOME_PATHS) {
      assertSame("POST", search(ReadTestIndices.NARROW, filterPath), body);
      if (!body.contains("doc['no']")
          && !body.contains("[\"title\"]")) { // order of failures varies
        assertSame("POST", search(ReadTestIndices.WIDE, filterPath), body);
      }
      if (body.contains("_source")) {
        assertSame("POST", search(ReadTestIndices.SOURCELESS, filterPath), body);
      }
    }
  }

  @Test
  void filterMultiSearchesLikeANode() {
    String lines =
        "{\"index\": \"read-wide\"}\n"
            + PLAIN.get(0)
            + "\n{\"index\": \"read-narrow\"}\n"
            + PLAIN.get(1)
            + "\n{\"index\": \"no-such\"}\n{}\n";
    for (String filterPath :
        List.of(
            "responses.hits.total",
            "responses.hits.hits._id,responses.status",
            "-responses.hits.hits._source",
            "responses.*.hits._score",
            "hits.hits._source",
            "**._id",
            "-**.hits",
            "responses.error.type")) {
      assertSame("POST", "/_msearch?filter_path=" + filterPath, lines);
    }
  }

  @Test
  void skipTheFetchOfUnreadParts() {
    long fetches = saved("skipped_fetches");
    long documents = saved("skipped_documents");
    bed.rest()
        .send("POST", search(ReadTestIndices.WIDE, "hits.total,took"), PLAIN.get(0))
        .orThrow();
    assertThat(saved("skipped_fetches")).isEqualTo(fetches + 1);
    assertThat(saved("skipped_documents")).isEqualTo(documents);
    bed.rest().send("POST", search(ReadTestIndices.WIDE, "hits.hits._id"), PLAIN.get(0)).orThrow();
    bed.rest().send("POST", search(ReadTestIndices.WIDE, "-**._source"), PLAIN.get(0)).orThrow();
    assertThat(saved("skipped_documents")).isEqualTo(documents + 14);
    bed.rest().send("POST", search(ReadTestIndices.WIDE, "**.n"), PLAIN.get(0)).orThrow();
    assertThat(saved("skipped_documents")).isEqualTo(documents + 14);
    assertThat(saved("skipped_fetches")).isEqualTo(fetches + 1);
  }

  private static long saved(String what) {
    String stats = bed.admin().send("GET", "/stats").body();
    String own = stats.substring(stats.indexOf("\"filter_path\""));
    return new Scanner(own.substring(own.indexOf("\"" + what + "\": ") + what.length() + 4))
        .useDelimiter("\\D+")
        .nextLong();
  }
}
