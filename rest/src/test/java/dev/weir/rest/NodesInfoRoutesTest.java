package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.DeadlineResolver;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway answers those nodes info requests whose responses contain addresses. */
class NodesInfoRoutesTest {
  private static RestThreadContext threadContext;
  private static RequestRouter routes;

  @BeforeAll
  static void open() {
    OpenSearchRegistries registries = OpenSearchRegistries.create();
    threadContext = new RestThreadContext(registries.settings());
    routes =
        new RestDispatcher(
                registries,
                threadContext,
                new RecordingExecutor(),
                new RestDispatcher.RestExtensions(
                    exchange -> List.of(), SearchResponseFormats.NODE_FORMAT_ONLY),
                DeadlineResolver.NONE,
                () -> 1)
            .routes();
  }

  @AfterAll
  static void close() {
    threadContext.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_nodes",
        "/_nodes/",
        "/_nodes?filter_path=nodes.*.version",
        "/_nodes/http",
        "/_nodes/http?timeout=1s",
        "/_nodes/_all/http",
        "/_nodes/http,settings",
        "/_nodes/_all",
        "/_nodes/_local",
        "/_nodes/n1/http",
        "/_nodes/n1/info/http"
      })
  void answerRequestsForAddresses(String uri) {
    assertThat(routes.route("GET", uri)).isEqualTo(new RespondLocally("nodes_info"));
    assertThat(routes.route("POST", uri)).isEqualTo(new PassThrough("not-coordinated"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_nodes/os",
        "/_nodes/os,jvm",
        "/_nodes/_all/settings",
        "/_nodes/stats",
        "/_nodes/stats/http",
        "/_nodes/n1/stats",
        "/_nodes/n1/stats/http",
        "/_nodes/hot_threads",
        "/_nodes/n1/hot_threads",
        "/_nodes/usage",
        "/_nodes/reload_secure_settings"
      })
  void leavesTheRestToANode(String uri) {
    assertThat(routes.route("GET", uri)).isEqualTo(new PassThrough("not-coordinated"));
  }
}
