package dev.weir.gateway.coalesce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The coalescer learns of a request that passes through before its client does. */
class CoalescingInvalidationFilterTest {
  private final CompletableFuture<Void> looked = new CompletableFuture<>();
  private boolean coalesces = true;
  private int refreshed;
  private final RequestRouter router =
      RouteFilter.chain(
          new Late(looked),
          List.of(new CoalescingInvalidationFilter(() -> coalesces, () -> refreshed++)));

  /** Adds another wait to requests that pass through late. */
  private record Late(CompletableFuture<Void> looked) implements RequestRouter {
    @Override
    public Decision route(String method, String uri) {
      return new Coordinate("test");
    }

    @Override
    public PassThrough routeAfterBody(String method, String uri, String reason) {
      return new PassThrough(reason, () -> looked);
    }
  }

  private static CompletionStage<?> settlingOf(PassThrough way) {
    return Objects.requireNonNull(way.onSuccess(), "got nothing that the answer waits for").get();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /logs/_doc?refresh=true",
    "PUT, /logs/_create/1?refresh=wait_for",
    "POST, /logs/_update/1",
    "POST, /_bulk?refresh",
    "DELETE, /logs/_doc/1",
    "PUT, /logs/%5Fdoc/1"
  })
  void observeWritesThatPassThroughLate(String method, String uri) {
    PassThrough way = router.routeAfterBody(method, uri, "ingest-pipeline");
    assertThat(way.reason()).isEqualTo("ingest-pipeline");
    CompletableFuture<?> settled = settlingOf(way).toCompletableFuture();
    assertThat(settled).isNotDone();
    assertThat(refreshed).isZero();
    looked.complete(null);
    assertThat(settled).isDone();
    assertThat(refreshed).isOne();
  }

  @ParameterizedTest
  @CsvSource({"POST, /logs/_search", "POST, /_msearch", "GET, /logs/_doc/1", "POST, /_mget"})
  void keepSharedSearchesAfterReads(String method, String uri) {
    assertThat(settlingOf(router.routeAfterBody(method, uri, "search-pipeline"))).isSameAs(looked);
  }

  @Test
  void skipInvalidationWithoutCoalescing() {
    coalesces = false;
    PassThrough way = router.routeAfterBody("PUT", "/logs/_doc/1", "ingest-pipeline");
    assertThat(settlingOf(way)).isSameAs(looked);
  }
}
