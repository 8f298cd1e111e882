package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A request that passed through and may have changed metadata is answered after a refresh. */
class MetadataRefreshFilterTest implements ClusterViewSource {
  private final ClusterView view = ClusterView.empty(0);
  private final CompletableFuture<ClusterView> looked = new CompletableFuture<>();
  private final RequestRouter router =
      RouteFilter.chain(
          (method, uri) -> new PassThrough("not-coordinated"),
          List.of(new MetadataRefreshFilter(this)));
  private int looks;

  @Override
  public ClusterView current() {
    return view;
  }

  @Override
  public CompletionStage<ClusterView> refresh(ClusterView stale) {
    looks++;
    return looked;
  }

  private void settles(PassThrough way, boolean settles) {
    assertThat(way.onSuccess() != null).isEqualTo(settles);
    if (way.onSuccess() != null) {
      assertThat(way.onSuccess().get().toCompletableFuture()).isNotDone();
      looked.complete(view);
      assertThat(way.onSuccess().get().toCompletableFuture()).isDone();
      assertThat(looks).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /logs, true",
    "POST, /_aliases, true",
    "POST, /logs/_search, false",
    "GET, /logs, false"
  })
  void refreshTheViewAfterMetadataChanges(String method, String uri, boolean settles) {
    settles((PassThrough) router.route(method, uri), settles);
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /logs/_doc/1?pipeline=p, true",
    "POST, /_bulk, true",
    "POST, /logs/_update/1, true",
    "DELETE, /logs/_doc/1, false",
    "POST, /logs/_search, false"
  })
  void refreshTheViewAfterWritesThatPassThroughLate(String method, String uri, boolean settles) {
    PassThrough late = router.routeAfterBody(method, uri, "ingest-pipeline");
    assertThat(late.reason()).isEqualTo("ingest-pipeline");
    settles(late, settles);
  }

  @ParameterizedTest
  @CsvSource({"POST, /_bulk, true", "POST, /_msearch, false"})
  void refreshAfterLargeWritesToo(String method, String uri, boolean settles) {
    settles(router.routeLargeBody(method, uri), settles);
  }
}
