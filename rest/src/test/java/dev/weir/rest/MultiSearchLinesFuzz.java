package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.NodeRequestRules;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.logging.DeprecationLogger;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * A multi-search runs the searches that OpenSearch reads from its lines, or is rejected; and where
 * nodes forbid indices in bodies, no line names one.
 */
class MultiSearchLinesFuzz {
  private static final NodeRequestRules NO_EXPLICIT_INDEX =
      new NodeRequestRules(true, false, true, false, false, NodeRequestRules.Limits.DEFAULT);
  private static final DeprecationLogger DEPRECATIONS =
      DeprecationLogger.getLogger(MultiSearchLinesFuzz.class);

  private static final String[] HEADERS = {
    "{}",
    "",
    "{\"index\":\"other\"}",
    "{\"index\":[\"a\",\"b\"],\"routing\":\"r\",\"preference\":\"p\"}",
    "{\"search_type\":\"dfs_query_then_fetch\",\"ignore_unavailable\":true}",
    "{\"index\":\"a\",\"index\":\"b\"}",
    "{\"indices\":\"a\"}",
    "{\"index\":{}}",
    "{\"none\":1}",
    "{\"index\":\"\\u0061\"} "
  };
  private static final String[] BODIES = {
    "{}",
    "{\"query\":{\"match_all\":{}}}",
    "{\"size\":3,\"query\":{\"term\":{\"a\":\"b\\nc\"}}}",
    "{\"aggs\":{\"n\":{\"terms\":{\"field\":\"n\"}}},\"size\":0}",
    "{\"query\":{\"none\":{}}}",
    "{\"size\":-1}",
    "",
    "[]",
    "{\"size\":1}{\"size\":2}"
  };
  private static final String ODD = "{}[],:\"\\\n\r\t 0a\u0000é";

  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private NodeRequestRules rules = NodeRequestRules.DEFAULT;
  private final RestDispatcher dispatcher =
      new RestDispatcher(
          RestDispatcherFixture.REGISTRIES,
          threadContext,
          executor,
          new RestDispatcher.RestExtensions(
              null,
              SearchResponseFormats.NODE_FORMAT_ONLY,
              ExportHandler.NONE,
              () -> rules,
              () -> false),
          DeadlineResolver.NONE,
          () -> 1);

  @AfterEach
  void close() {
    threadContext.close();
  }

  @FuzzTest
  void runWhatOpenSearchReads(byte[] lines) {
    check(lines);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void runWhatOpenSearchReadsFromOddLines(long seed) {
    Random random = new Random(seed);
    int executed = 0;
    for (int round = 0; round < 3_000; round++) {
      if (check(lines(random))) {
        executed++;
      }
    }
    assertThat(executed).isBetween(100, 2_900);
  }

  private static byte[] lines(Random random) {
    StringBuilder lines = new StringBuilder();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      lines.append(pick(HEADERS, random)).append(random.nextInt(20) == 0 ? "\r\n" : "\n");
      lines.append(pick(BODIES, random)).append(random.nextInt(20) == 0 ? "" : "\n");
    }
    for (int n = random.nextInt(3); n > 0 && !lines.isEmpty(); n--) {
      int at = random.nextInt(lines.length());
      char odd = ODD.charAt(random.nextInt(ODD.length()));
      switch (random.nextInt(6)) {
        case 0 -> lines.setCharAt(at, odd);
        case 1 -> lines.insert(at, odd);
        case 2 -> lines.deleteCharAt(at);
        default -> {}
      }
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Picks one of the first three more often than another, so that whole requests are ordinary. */
  private static String pick(String[] from, Random random) {
    return from[random.nextInt(random.nextInt(3) == 0 ? from.length : 3)];
  }

  /** Returns whether the searches were run. */
  private boolean check(byte[] lines) {
    List<String> expected = read(lines);
    rules = NO_EXPLICIT_INDEX;
    List<SearchRequest> restricted = run(lines);
    if (restricted != null) {
      assertThat(restricted)
          .as(new String(lines, StandardCharsets.UTF_8))
          .allSatisfy(search -> assertThat(search.indices()).containsExactly("logs"));
    }
    rules = NodeRequestRules.DEFAULT;
    List<SearchRequest> run = run(lines);
    if (run == null) {
      return false;
    }
    assertThat(run.stream().map(MultiSearchLinesFuzz::text))
        .as(new String(lines, StandardCharsets.UTF_8))
        .isEqualTo(expected);
    return true;
  }

  /** Returns the searches that the gateway runs; null if it rejects or passes the request on. */
  private @Nullable List<SearchRequest> run(byte[] lines) {
    TestExchange exchange =
        TestExchange.queued("POST", "/logs/_msearch").body("application/x-ndjson", lines);
    executor.forget();
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    if (!executor.wasCalled()) {
      assertThat(exchange.isAnswered()).isEqualTo(exchange.passedThrough() == null);
      assertThat(exchange.passedThrough()).isNotEqualTo(PassThroughReasons.INTERNAL_ERROR);
      if (exchange.isAnswered()) {
        assertThat(exchange.reply().status()).isEqualTo(400);
      }
      return null;
    }
    RecordingExecutor.Call call = executor.only();
    List<SearchRequest> searches = List.copyOf(((MultiSearchRequest) call.request()).requests());
    call.fail(new IndexNotFoundException("logs"));
    exchange.runEventLoop();
    exchange.readToEnd();
    return searches;
  }

  /** Returns the searches that OpenSearch reads; null if it rejects the lines. */
  private static @Nullable List<String> read(byte[] lines) {
    List<String> searches = new ArrayList<>();
    try {
      MultiSearchRequest.readMultiLineFormat(
          new BytesArray(lines),
          JsonXContent.jsonXContent,
          (search, parser) -> {
            search.source(SearchSourceBuilder.fromXContent(parser, false));
            searches.add(text(search));
          },
          new String[] {"logs"},
          new MultiSearchRequest().indicesOptions(),
          null,
          null,
          null,
          RestDispatcherFixture.REGISTRIES.xContents(),
          true,
          DEPRECATIONS);
    } catch (IOException | RuntimeException rejected) {
      return null;
    }
    return searches;
  }

  private static String text(SearchRequest search) {
    return Arrays.toString(search.indices())
        + search.routing()
        + search.preference()
        + search.searchType()
        + search.indicesOptions()
        + search.source();
  }
}
