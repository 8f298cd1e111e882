package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter;
import dev.weir.model.RouteFilter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PassThroughWriteFilterTest {
  @TempDir private Path directory;
  private DualWriteFixture world;

  @BeforeEach
  void start() {
    world = new DualWriteFixture(directory);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static CompletionStage<?> settled(RequestRouter.PassThrough way) {
    return Objects.requireNonNull(way.onSuccess()).get();
  }

  private RequestRouter router(RequestRouter router, Supplier<@Nullable DualWriteTarget> target) {
    return RouteFilter.chain(
        router, List.of(new PassThroughWriteFilter(target, world.counts, world.means())));
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/logs/_delete_by_query?conflicts=proceed,true",
    "POST,/logs/_update_by_query,true",
    "POST,/_reindex,true",
    "POST,/logs/_bulk?pipeline=p,true",
    "PUT,/logs/_doc/1?pipeline=p,true",
    "PUT,/logs,true",
    "DELETE,/logs,true",
    "POST,/_aliases,true",
    "POST,/logs/_search,false",
    "PUT,/_search/pipeline/p,true",
    "DELETE,/_search/pipeline/p,true",
    "GET,/_search/pipeline/p,false",
    "DELETE,/_search/scroll,false",
    "GET,/logs/_doc/1,false",
    "POST,/_mget,false",
    "POST,/logs/_refresh,false",
    "HEAD,/logs,false",
    "POST,/_plugins/_ppl,false",
    "POST,/_plugins/_sql,true",
    "POST,/_plugins/_sql/_explain,false"
  })
  void logRequestsThatMayWrite(String method, String uri, boolean noted) throws Exception {
    RequestRouter router =
        router((m, u) -> new RequestRouter.PassThrough("not-coordinated"), world::target);
    RequestRouter.PassThrough way = (RequestRouter.PassThrough) router.route(method, uri);
    assertThat(way.reason()).isEqualTo("not-coordinated");
    if (!noted) {
      assertThat(way.onSuccess()).isNull();
      return;
    }
    assertThat(world.logged()).isEmpty();
    settled(way).toCompletableFuture().get(20, TimeUnit.SECONDS);
    assertThat(world.logged())
        .singleElement()
        .isInstanceOfSatisfying(
            RepairEntry.RequestEntry.class,
            entry -> {
              assertThat(entry.method()).isEqualTo(method);
              assertThat(uri).startsWith(entry.path());
              assertThat(entry.path()).doesNotContain("?");
            });
    assertThat(world.counts.countOf("green", DualWriteOutcome.NOT_REPLICATED)).isOne();
    assertThat(world.counts.logged("green")).isOne();
  }

  @Test
  void logWritesThatPassThroughAfterTheirBody() throws Exception {
    RequestRouter router = router((m, u) -> new RequestRouter.Coordinate("bulk"), world::target);
    assertThat(router.route("POST", "/_bulk")).isInstanceOf(RequestRouter.Coordinate.class);
    settled(router.routeAfterBody("POST", "/_bulk", "ingest-pipeline"))
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
    settled(router.routeLargeBody("POST", "/_bulk"))
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
    assertThat(world.logged()).hasSize(2);
    assertThat(router.routeAfterBody("POST", "/_search", "search-pipeline").onSuccess()).isNull();
  }

  @Test
  void runEarlierActionsFirst() throws Exception {
    CompletableFuture<String> before = new CompletableFuture<>();
    RequestRouter router =
        router((m, u) -> new RequestRouter.PassThrough("why", () -> before), world::target);
    RequestRouter.PassThrough way = (RequestRouter.PassThrough) router.route("PUT", "/logs");
    CompletableFuture<?> settled = settled(way).toCompletableFuture();
    assertThat(settled).isNotDone();
    before.completeExceptionally(new IllegalStateException("no view"));
    settled.get(20, TimeUnit.SECONDS);
    assertThat(world.logged()).hasSize(1);
  }

  @Test
  void changesNothingWhereWritesAreNotRepeated() {
    RequestRouter.PassThrough way = new RequestRouter.PassThrough("why");
    assertThat(router((m, u) -> way, () -> null).route("PUT", "/logs")).isSameAs(way);
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/logs/_delete_by_query,409,true",
    "POST,/logs/_update_by_query?conflicts=abort,400,true",
    "POST,/_reindex,429,true",
    "POST,/_reindex,504,true",
    "POST,/_reindex,0,true",
    "POST,/_reindex,403,false",
    "PUT,/logs/_doc/1?pipeline=p,409,false",
    "PUT,/logs/_doc/1?pipeline=p,500,true",
    "POST,/_bulk?pipeline=p,0,true",
    "POST,/_bulk?pipeline=p,429,false",
    "PUT,/logs,400,false",
    "PUT,/logs,503,true"
  })
  void logWritesThatAreNotClearlyRejected(String method, String uri, int status, boolean noted)
      throws Exception {
    RequestRouter router = router((m, u) -> new RequestRouter.PassThrough("why"), world::target);
    RequestRouter.PassThrough way = (RequestRouter.PassThrough) router.route(method, uri);
    assertThat(way.onUncertainOutcome()).isNotNull();
    Objects.requireNonNull(way.onUncertainOutcome())
        .handle(status)
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
    assertThat(world.logged()).hasSize(noted ? 1 : 0);
    assertThat(world.counts.countOf("green", DualWriteOutcome.NOT_REPLICATED))
        .isEqualTo(noted ? 1 : 0);
  }

  @Test
  void doesNotWaitForADiskThatIsStuck() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    world
        .target()
        .repairLog()
        .append(
            List.of(),
            failure -> {
              try {
                stuck.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    RequestRouter router = router((m, u) -> new RequestRouter.PassThrough("why"), world::target);
    CompletableFuture<?> noted =
        settled(router.routeLargeBody("POST", "/_bulk")).toCompletableFuture();
    world.passWithoutDisk(RepairLogAppender.TIMEOUT);
    assertThat(noted).isDone();
    assertThat(world.counts.unlogged("green")).isOne();
    stuck.countDown();
    world.pass(RepairLogAppender.TIMEOUT);
    assertThat(world.counts.logged("green")).isZero();
  }
}
