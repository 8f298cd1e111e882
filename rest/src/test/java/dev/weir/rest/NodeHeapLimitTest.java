package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.DeadlineResolver;
import dev.weir.model.LargeBodyCheck;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestRouter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeHeapLimitTest {
  private static final long MB = 1 << 20;
  private static final String JSON = "application/json";
  private static final String DOCUMENTS =
      "{\"docs\":[" + "{\"_index\":\"no-such-index\",\"_id\":\"1\"},".repeat(1000);
  private static final String SEARCHES =
      "{\"index\":\"a\"}\n{\"query\":{\"match_all\":{}}}\n".repeat(1000);
  private static final String TERMS = "{\"query\":{\"terms\":{\"n\":[" + "10000,".repeat(1000);

  private long heapBytes;
  private final RequestRouter routes =
      new RestDispatcher(
              RestDispatcherFixture.REGISTRIES,
              new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings()),
              new RecordingExecutor(),
              new RestDispatcher.RestExtensions(
                  null,
                  SearchResponseFormats.NODE_FORMAT_ONLY,
                  ExportHandler.NONE,
                  () -> RestDispatcherFixture.nodesWithHeap(heapBytes),
                  () -> false),
              DeadlineResolver.NONE,
              new AtomicLong()::incrementAndGet)
          .routes();

  private @Nullable MemoryRejection check(String uri, String beginning, long length) {
    LargeBodyCheck check = Objects.requireNonNull(routes.largeBodyCheck("POST", uri));
    return check.check(JSON, ByteBuffer.wrap(beginning.getBytes(StandardCharsets.UTF_8)), length);
  }

  /** A node takes some 100 bytes for each byte of such items, and 25 for each of these terms. */
  @ParameterizedTest
  @CsvSource({
    "/_mget, 30, 512, false",
    "/_mget, 99, 1024, false",
    "/_mget, 30, 16384, true",
    "/_msearch, 99, 1024, false",
    "/_msearch, 30, 32768, true",
    "/i/_search, 99, 1024, false",
    "/i/_search, 14, 1024, true",
    "/i/_count, 99, 8192, true",
  })
  void forbidWhatTakesMostOfTheHeap(String uri, long bodyMb, long heapMb, boolean passes) {
    heapBytes = heapMb * MB;
    String beginning = uri.contains("mget") ? DOCUMENTS : uri.contains("ms") ? SEARCHES : TERMS;
    MemoryRejection refused = check(uri, beginning, bodyMb * MB);
    assertThat(refused == null).isEqualTo(passes);
    if (refused != null) {
      assertThat(refused.limitBytes()).isEqualTo((long) (heapBytes * 0.4));
      assertThat(refused.message().toLowerCase(Locale.ROOT)).contains("smallest heap of a node");
    }
  }

  @Test
  void leaveWritesAndOtherPathsAlone() {
    assertThat(routes.largeBodyCheck("POST", "/_bulk")).isNull();
    assertThat(routes.largeBodyCheck("PUT", "/i/_doc/1")).isNull();
    assertThat(routes.largeBodyCheck("POST", "/_reindex")).isNull();
    assertThat(routes.largeBodyCheck("POST", "/%zz")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ";", "text/plain", "application/json; charset", "application/cbor", "/"})
  void expectMostOfABodyInAnotherFormat(String contentType) {
    heapBytes = 1024 * MB;
    LargeBodyCheck check = Objects.requireNonNull(routes.largeBodyCheck("POST", "/i/_search"));
    assertThat(check.check(contentType, ByteBuffer.wrap(new byte[1000]), 30 * MB)).isNotNull();
  }

  @Test
  void boundNothingWhileTheHeapIsUnknown() {
    heapBytes = Long.MAX_VALUE;
    assertThat(check("/_mget", DOCUMENTS, 100 * MB)).isNull();
  }
}
