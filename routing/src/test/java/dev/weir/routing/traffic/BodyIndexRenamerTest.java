package dev.weir.routing.traffic;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.routing.traffic.BodyIndexRenamer.BodyFormat;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How index names in bodies are translated. */
class BodyIndexRenamerTest {
  private final IndexRenamer rename = rename();

  private static IndexRenamer rename() {
    Map<String, String> rules = new LinkedHashMap<>();
    rules.put("logs-*", "logs-v2-*");
    rules.put("products", "products-v2");
    rules.put("größe", "gr\"öße");
    return new IndexRenamer(rules);
  }

  /** Translates a body in random chunks; returns the reason if that is impossible. */
  private String became(BodyFormat form, String body) {
    byte[] bytes = body.getBytes(UTF_8);
    String whole = became(form, bytes, bytes.length);
    for (int piece : new int[] {1, 2, 3, 7, 16}) {
      assertThat(became(form, bytes, piece)).as("in pieces of %s", piece).isEqualTo(whole);
    }
    return whole;
  }

  private String became(BodyFormat form, byte[] bytes, int piece) {
    BodyIndexRenamer body = new BodyIndexRenamer(form, rename);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int at = 0; at < bytes.length; at += piece) {
      String why = body.rewrite(bytes, at, Math.min(bytes.length, at + piece), out::write);
      if (why != null) {
        return "! " + why;
      }
    }
    body.finish(out::write);
    return out.toString(UTF_8);
  }

  @Test
  void renamesActionsOfABulkAndNothingElse() {
    String bulk =
        """
        {"index":{"_index":"products","_id":"products","require_alias":false}}
        {"index":{"_index":"products"},"_index":"logs-1"}
         { "create" : { "_id" : "1" , "_index" : "logs-1" } } \r
        {"delete":{"_index":"products"}}
        {"delete":{"_index":"kept","_id":"\\"_index\\":\\"products\\""}}
        {"update":{"_index":"\\u006cogs-\\u0032","routing":"logs-1","_source":{"_index":"logs-1"}}}
        {"doc":{"index":{"_index":"products"}}}

        \t
        {"index":{"_index":null}}
        {"delete":{"_index":"products"}}
        {"index":{}}
        not even JSON / {"index":{"_index":"products"}}
        {"delete":{"_\\u0069ndex":"größe"}}
        """;
    assertThat(became(BodyFormat.BULK, bulk))
        .isEqualTo(
            """
            {"index":{"_index":"products-v2","_id":"products","require_alias":false}}
            {"index":{"_index":"products"},"_index":"logs-1"}
             { "create" : { "_id" : "1" , "_index" : "logs-v2-1" } } \r
            {"delete":{"_index":"products"}}
            {"delete":{"_index":"kept","_id":"\\"_index\\":\\"products\\""}}
            {"update":{"_index":"logs-v2-2","routing":"logs-1","_source":{"_index":"logs-1"}}}
            {"doc":{"index":{"_index":"products"}}}

            \t
            {"index":{"_index":null}}
            {"delete":{"_index":"products"}}
            {"index":{}}
            not even JSON / {"index":{"_index":"products"}}
            {"delete":{"_\\u0069ndex":"gr\\"öße"}}
            """);
  }

  @Test
  void renamesHeadersOfSearches() {
    String searches =
        """
        {"index":"products"}
        {"query":{"terms":{"f":{"index":"products"}}}}
        {"index":["logs-1","-logs-2","other"],"preference":"products"}
        {"index":"products"}

        {"index":"products"}
        {"indices":"logs-1,products,far:logs-1,<logs-{now/d}>,_all"}
        {}
        """;
    assertThat(became(BodyFormat.MULTI_SEARCH, searches))
        .isEqualTo(
            """
            {"index":"products-v2"}
            {"query":{"terms":{"f":{"index":"products"}}}}
            {"index":["logs-v2-1","-logs-v2-2","other"],"preference":"products"}
            {"index":"products"}

            {"index":"products"}
            {"indices":"logs-v2-1,products-v2,far:logs-1,<logs-v2-{now/d}>,_all"}
            {}
            """);
    assertThat(became(BodyFormat.MULTI_SEARCH, "\n{\"index\":\"products\"}\n{}\n"))
        .as("nodes pass over an empty first line")
        .isEqualTo("\n{\"index\":\"products-v2\"}\n{}\n");
  }

  @Test
  void renameIndicesOfRequestedDocuments() {
    String documents =
        """
        {"docs": [{"_index": "products", "_id": "1", "_source": {"_index": "products"}},
          {"_id": "products", "_index":
            "logs-1", "stored_fields": ["products"]}],
         "ids": ["products"], "_index": "products", "parameters": {"_index": "logs-1"}}
        """;
    assertThat(became(BodyFormat.MULTI_GET, documents))
        .isEqualTo(
            """
            {"docs": [{"_index": "products-v2", "_id": "1", "_source": {"_index": "products"}},
              {"_id": "products", "_index":
                "logs-v2-1", "stored_fields": ["products"]}],
             "ids": ["products"], "_index": "products", "parameters": {"_index": "logs-v2-1"}}
            """);
  }

  /** A node takes it for one name, and accepts no comma in it. */
  @Test
  void takeTheIndexOfAnActionOrADocumentForOneName() {
    assertThat(became(BodyFormat.BULK, "{\"index\":{\"_index\":\"logs-1,products\"}}\n{}\n"))
        .isEqualTo("{\"index\":{\"_index\":\"logs-v2-1,products\"}}\n{}\n");
    String documents = "{\"docs\":[{\"_index\":\"other,products\"},{\"_index\":\"-products\"}]}";
    assertThat(became(BodyFormat.MULTI_GET, documents)).isEqualTo(documents);
    String patterns = "{\"index\":{\"_index\":\"" + "z*z*,".repeat(60) + "\"}}\n{}\n";
    assertThat(became(BodyFormat.BULK, patterns)).isEqualTo(patterns);
  }

  @Test
  void rejectUnsupportedBodies() {
    assertThat(
            became(BodyFormat.BULK, "{\"index\":/* \"_index\" */{\"_index\":\"products\"}}\n{}\n"))
        .startsWith("! got a comment, or another encoding than UTF-8 (expected: plain JSON");
    assertThat(became(BodyFormat.BULK, "{\"index\":{\"_index\":7}}\n{}\n"))
        .startsWith("! got an index that is no text (expected: its name in quotes");
    assertThat(became(BodyFormat.MULTI_SEARCH, "{\"index\":\"l*\"}\n{}\n"))
        .startsWith("! got l*, of which some are called otherwise in this cluster");
    assertThat(became(BodyFormat.MULTI_SEARCH, "{\"index\":\"" + "a".repeat(70_000) + "\"}\n{}\n"))
        .startsWith("! got a name of more than 65536 bytes");
    byte[] utf16 =
        "{\"docs\":[{\"_index\":\"products\"}]}"
            .getBytes(java.nio.charset.StandardCharsets.UTF_16LE);
    assertThat(became(BodyFormat.MULTI_GET, new String(utf16, ISO_8859_1)))
        .startsWith("! got a comment, or");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"index\":{\"_index\":\"prod",
        "{\"index\":{\"_index\":\"prod\n",
        "{\"index\":{\"_index\":\"a\\x\"}}\n{}\n",
        "}}]]{\"_index\":\"products\"}\n",
        "[[[[[[[[[[[[[[\"_index\"]\n"
      })
  void givesOnWhatNoNodeReads(String body) {
    assertThat(became(BodyFormat.BULK, body)).isEqualTo(body);
  }

  @Test
  void readsAnyDocumentAsItIs() {
    SplittableRandom random = new SplittableRandom(11);
    String letters = "{}[]\",:\\ab_index\n/";
    for (int round = 0; round < 500; round++) {
      StringBuilder source = new StringBuilder();
      for (int i = random.nextInt(40); i > 0; i--) {
        source.append(letters.charAt(random.nextInt(letters.length())));
      }
      String line = source.toString().replace("\n", "");
      assertThat(became(BodyFormat.BULK, "{\"index\":{\"_index\":\"products\"}}\n" + line + "\n"))
          .isEqualTo("{\"index\":{\"_index\":\"products-v2\"}}\n" + line + "\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/_bulk, BULK",
    "/_bulk/?refresh, BULK",
    "/logs-1/_bulk, BULK",
    "/_bulk/stream, BULK",
    "/_all/_msearch, MULTI_SEARCH",
    "/_msearch/template, MULTI_SEARCH",
    "/a/_msearch?typed_keys, MULTI_SEARCH",
    "/_mget, MULTI_GET",
    "/a/_mtermvectors, MULTI_GET",
    "/a/_doc/_bulk,",
    "/_snapshot/_bulk, BULK",
    "/_foo/_bulk, BULK",
    "/_cat/_bulk?pretty, BULK",
    "/_bulk/_bulk, BULK",
    "/_foo/_bulk/stream, BULK",
    "/_foo/_msearch/template, MULTI_SEARCH",
    "/_cat/_mget/, MULTI_GET",
    "/_bulk/stream/x,",
    "/_foo/_doc/_bulk,",
    "/_search?q=/_bulk,",
    "/a/_search,",
    "/,",
  })
  void knowsWhichBodiesNameIndices(String uri, @Nullable BodyFormat form) {
    assertThat(BodyIndexRenamer.formatOf(uri)).isEqualTo(form);
  }
}
