package dev.weir.rest.estimate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.common.logging.DeprecationLogger;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/** Estimates cover what OpenSearch's parsers really take. */
@Drawn(oneIn = 2)
class ParsedBodyEstimateTest {
  /** Garbage of other threads beside several megabytes of parsed objects. */
  private static final long NOISE_BYTES = 400_000;

  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private static ParsedBodyEstimate estimate(String action, byte[] body) {
    return ParsedBodyEstimate.of(action, XContentType.JSON, new BytesArray(body));
  }

  private static byte[] repeat(String before, String item, int times, String after) {
    StringBuilder text = new StringBuilder(before);
    for (int i = 0; i < times; i++) {
      text.append(i == 0 ? "" : ",").append(item.replace("#", Integer.toString(i)));
    }
    return text.append(after).toString().getBytes(UTF_8);
  }

  private static XContentParser parser(byte[] body) throws IOException {
    return XContentType.JSON
        .xContent()
        .createParser(REGISTRIES.xContents(), DeprecationHandler.IGNORE_DEPRECATIONS, body);
  }

  private interface Parse {
    Object parse(byte[] body) throws IOException;
  }

  private static Object parseSearch(byte[] body) throws IOException {
    SearchSourceBuilder source = new SearchSourceBuilder();
    source.parseXContent(parser(body), true);
    return source;
  }

  private static Object parseMultiGet(byte[] body) throws IOException {
    MultiGetRequest request = new MultiGetRequest();
    request.add("index", new String[0], FetchSourceContext.FETCH_SOURCE, null, parser(body), true);
    return request;
  }

  private static Object parseMultiSearch(byte[] body) throws IOException {
    MultiSearchRequest request = new MultiSearchRequest();
    MultiSearchRequest.readMultiLineFormat(
        new BytesArray(body),
        XContentType.JSON.xContent(),
        (search, parser) -> {
          SearchSourceBuilder source = new SearchSourceBuilder();
          source.parseXContent(parser, false);
          request.add(search.source(source));
        },
        new String[] {"index"},
        IndicesOptions.strictExpandOpenAndForbidClosed(),
        null,
        null,
        null,
        REGISTRIES.xContents(),
        true,
        DeprecationLogger.getLogger(ParsedBodyEstimateTest.class));
    return request;
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static long takenBytes(byte[] body, Parse parse) throws IOException {
    long before = usedBytes();
    Object parsed = parse.parse(body);
    try {
      return usedBytes() - before;
    } finally {
      Reference.reachabilityFence(parsed);
    }
  }

  private static void requireCovered(String action, byte[] body, Parse parse) throws IOException {
    takenBytes(body, parse); // loads the classes
    assertThat(takenBytes(body, parse))
        .as("heap bytes of a body of %d bytes", body.length)
        .isLessThan(estimate(action, body).heapBytes() + NOISE_BYTES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          {"query":{"bool":{"should":[ ; {"term":{"f":"#"}}                              ; ]}}} ; 50000
          {"query":{"bool":{"should":[ ; {"bool":{}}                                     ; ]}}} ; 50000
          {"query":{"bool":{"should":[ ; {"match":{"f":"#"}}                             ; ]}}} ; 50000
          {"query":{"bool":{"should":[ ; {"query_string":{"query":"#"}}                  ; ]}}} ; 30000
          {"query":{"terms":{"f":[     ; "#"                                             ; ]}}} ; 100000
          {"query":{"terms":{"f":[     ; #                                               ; ]}}} ; 100000
          {"query":{"ids":{"values":[  ; "#"                                             ; ]}}} ; 50000
          {"sort":[                    ; "f"                                             ; ]}   ; 50000
          {"_source":[                 ; "#"                                             ; ]}   ; 50000
          {"docvalue_fields":[         ; "#"                                             ; ]}   ; 50000
          {"aggs":{                    ; "a#":{"filter":{"match_all":{}}}                ; }}   ; 10000
          {"suggest":{                 ; "#":{"text":"a","term":{"field":"f"}}           ; }}   ; 10000
          """)
  void coverSearches(String before, String item, String after, int times) throws IOException {
    requireCovered(
        "search", repeat(before, item, times, after), ParsedBodyEstimateTest::parseSearch);
  }

  @Test
  void coverLongStrings() throws IOException {
    byte[] body = repeat("{\"query\":{\"term\":{\"f\":\"", "x".repeat(3_000_000), 1, "\"}}}");
    requireCovered("search", body, ParsedBodyEstimateTest::parseSearch);
  }

  @Test
  void coverMultiGets() throws IOException {
    requireCovered(
        "mget", repeat("{\"ids\":[", "\"1\"", 50_000, "]}"), ParsedBodyEstimateTest::parseMultiGet);
    requireCovered(
        "mget",
        repeat("{\"docs\":[", "{\"_index\":\"i\",\"_id\":\"#\"}", 50_000, "]}"),
        ParsedBodyEstimateTest::parseMultiGet);
  }

  @Test
  void coverMultiSearches() throws IOException {
    requireCovered(
        "msearch",
        "{}\n{}\n".repeat(10_000).getBytes(UTF_8),
        ParsedBodyEstimateTest::parseMultiSearch);
    requireCovered(
        "msearch",
        "{\"index\":\"i\"}\n{\"query\":{\"term\":{\"f\":\"v\"}},\"size\":0}\n"
            .repeat(10_000)
            .getBytes(UTF_8),
        ParsedBodyEstimateTest::parseMultiSearch);
  }

  @Test
  void countItems() {
    assertThat(estimate("mget", repeat("{\"ids\":[", "\"#\"", 7, "]}")).items()).isEqualTo(7);
    assertThat(estimate("msearch", "{}\n{}\n{}\n{}".getBytes(UTF_8)).items()).isEqualTo(2);
    assertThat(estimate("search", repeat("{\"sort\":[", "\"#\"", 7, "]}")).items()).isZero();
  }

  /** OpenSearch's parser reads these encodings, in whose bytes a quote may be part of a letter. */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"})
  void expectTheWorstOfOtherEncodings(String encoding) {
    byte[] ids = repeat("{\"\u0122\":0,\"ids\":[", "\"#\"", 1000, "]}");
    byte[] body = new String(ids, UTF_8).getBytes(Charset.forName(encoding));
    assertThat(estimate("mget", body).heapBytes()).isGreaterThan(estimate("mget", ids).heapBytes());
  }

  @Test
  void expectTheWorstOfBinaryFormats() {
    BytesArray body = new BytesArray("a".repeat(1000));
    long json = ParsedBodyEstimate.of("mget", XContentType.JSON, body).heapBytes();
    assertThat(ParsedBodyEstimate.of("mget", XContentType.CBOR, body).heapBytes())
        .isGreaterThan(10 * json);
  }
}
