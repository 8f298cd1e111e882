package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bulks whose documents stay lines get a node's response, and write what a node writes. */
class LineBulkIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final int DOCUMENTS = 60;
  private static final Pattern VARYING =
      Pattern.compile("(?<=\"took\" ?: ?)\\d+|straight|through|(?<=\"index_uuid\" ?: ?\")[\\w-]+");
  private static final Pattern BY_CHANCE = Pattern.compile("(?<=\"(_seq_no|_id)\":)[^,]+");

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.withSections(NODES.seeds(), "");
    for (String way : List.of("straight", "through", "straight-new", "through-new")) {
      NODES
          .rest()
          .send(
              "PUT",
              "/lines-" + way + "?wait_for_active_shards=all",
              "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":1},"
                  + "\"mappings\":{\"properties\":{\"n\":{\"type\":\"integer\"}}}}")
          .orThrow();
    }
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/lines-*").orThrow();
    bed.assertNothingHeld();
    bed.close();
  }

  private static String bulk(String action, IntFunction<String> document) {
    return IntStream.range(0, DOCUMENTS)
        .mapToObj(n -> action.replace("ID", "id-" + n) + "\n" + document.apply(n) + "\n")
        .collect(Collectors.joining());
  }

  private static String send(RestClient to, String way, String path, String body) {
    RestReply reply = to.bulk("/lines-" + way + "/_bulk" + path, body.getBytes(UTF_8));
    return reply.status() + VARYING.matcher(reply.body()).replaceAll("");
  }

  private static String compare(String path, String body) {
    String through = send(bed.rest(), "through", path, body);
    assertThat(through).isEqualTo(send(NODES.rest(), "straight", path, body));
    return through;
  }

  private static long lineBulks() {
    Matcher count =
        Pattern.compile("\"line_bulks\" ?: ?(\\d+)")
            .matcher(bed.admin().send("GET", "/stats").orThrow().body());
    assertThat(count.find()).isTrue();
    return Long.parseLong(count.group(1));
  }

  private static List<String> content(String way) {
    NODES.rest().send("POST", "/lines-" + way + "/_refresh").orThrow();
    String found =
        NODES
            .rest()
            .send("GET", "/lines-" + way + "/_search?size=1000&version=true")
            .orThrow()
            .body();
    return Pattern.compile("\\{(?=\"_index\":)")
        .splitAsStream(VARYING.matcher(found).replaceAll(""))
        .skip(1)
        .map(hit -> hit.replaceAll("[]},]+$", ""))
        .sorted()
        .toList();
  }

  @Test
  void answersForDocumentsWithIds() {
    String index = "{\"index\":{\"_id\":\"ID\"}}";
    long before = lineBulks();
    assertThat(compare("", bulk(index, n -> "{\"n\":" + n + "}"))).contains("\"errors\":false");
    assertThat(compare("?refresh=true", bulk(index, n -> "{\"n\":" + n + ",\"new\":" + n + "}")))
        .contains("\"result\":\"updated\"", "\"forced_refresh\":true");
    assertThat(
            compare(
                "", bulk(index, n -> n % 7 == 0 ? "{\"n\":\"no number\"}" : "{\"n\":" + n + "}")))
        .contains("\"errors\":true", "mapper_parsing_exception", "\"result\":\"updated\"");
    assertThat(compare("", bulk(index, n -> "{\"n\":\"no number\"}"))).doesNotContain("updated");
    compare("?pretty", bulk(index, n -> "{\"n\":" + n + "}"));
    compare("?filter_path=items.*.status", bulk(index, n -> "{\"n\":" + n + "}"));
    compare("?wait_for_active_shards=2", bulk(index, n -> "{\"n\":" + n + "}"));
    assertThat(compare("?wait_for_active_shards=3&timeout=100ms", bulk(index, n -> "{}")))
        .contains("unavailable_shards_exception");
    String create = "{ \"create\" : { \"_id\" : \"ID\" } }\r";
    assertThat(compare("", bulk(create, n -> "{\"n\":" + n + "}\r")))
        .contains("version_conflict_engine_exception");
    assertThat(lineBulks()).isEqualTo(before + 9);
    assertThat(content("through")).hasSize(DOCUMENTS).isEqualTo(content("straight"));
  }

  @Test
  void answersForDocumentsWithoutIds() {
    String body = bulk("{\"create\":{}}", n -> "{\"n\":" + (2000 + n) + "}");
    long before = lineBulks();
    String through = send(bed.rest(), "through-new", "?refresh=true", body);
    assertThat(lineBulks()).isEqualTo(before + 1);
    String straight = send(NODES.rest(), "straight-new", "?refresh=true", body);
    assertThat(BY_CHANCE.matcher(through).replaceAll(""))
        .isEqualTo(BY_CHANCE.matcher(straight).replaceAll(""));
    List<String> ids =
        Pattern.compile("\"_id\":\"([\\w-]{20})\"")
            .matcher(through)
            .results()
            .map(id -> id.group(1))
            .toList();
    assertThat(ids).hasSize(DOCUMENTS).doesNotHaveDuplicates();
    for (int n = 0; n < DOCUMENTS; n += 13) {
      assertThat(NODES.rest().send("GET", "/lines-through-new/_doc/" + ids.get(n)).orThrow().body())
          .contains("{\"n\":" + (2000 + n) + "}");
    }
  }
}
