package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.traffic.ClusterRouterTest.FakeCluster;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.intake.Destination;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of blue that go to green, because their body has an id of green. */
class BodyRoutedDestinationTest {
  private static final String ID = ClusterRouterTest.scroll(ClusterRouterTest.NODE);
  private static final String PIT = "{\"query\":{},\"pit\":{\"id\":\"" + ID + "\"}}";
  private static final String SCROLL = "{\"scroll_id\":[\"x\",\"" + ID + "\"]}";

  private final FakeCluster blue = new FakeCluster("blue");
  private final FakeCluster green = new FakeCluster("green");
  private final ClusterRouter router = router();

  private ClusterRouter router() {
    GatewayPolicy policy = ClusterRouterTest.policy("");
    return new ClusterRouter(
        policy,
        ClusterRouterTest.ready(policy),
        List.of(blue, green),
        () -> 0,
        () -> 0,
        Runnable::run);
  }

  @BeforeEach
  void addNode() {
    green.nodes.add(ClusterRouterTest.NODE);
  }

  private String cluster(String uri, String body) {
    byte[] bytes = ("  " + body).getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = ByteBuffer.wrap(bytes, 2, bytes.length - 2);
    Destination chosen =
        ClusterRouterTest.post(router, uri)
            .resolveByBody(TestExchange.of("POST", uri).body(buffer));
    assertThat(buffer.remaining()).as("unread").isEqualTo(bytes.length - 2);
    return ClusterRouterTest.chosen(Objects.requireNonNull(chosen));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/_search", "/_search/", "/_msearch", "/_msearch/?x=/", "/_msearch//"})
  void routeSearchesByTheirPointInTime(String uri) {
    assertThat(cluster(uri, PIT)).isEqualTo("green");
    assertThat(cluster(uri, "{}\n" + PIT + "\n")).isEqualTo("green");
    assertThat(cluster(uri, PIT.replace("pit", "\\u0070it"))).isEqualTo("green");
    assertThat(cluster(uri, PIT.replace("pit", "term"))).as("no point in time").isEqualTo("blue");
    assertThat(cluster(uri, PIT.replace(ID, "x"))).as("no id").isEqualTo("blue");
    assertThat(cluster(uri, "p")).isEqualTo("blue");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_search/scroll",
        "/_search/scroll/",
        "/_search/scroll/?x",
        "/_search/point_in_time",
        "/_search/point_in_time/"
      })
  void routeIdsOfAnyMember(String uri) {
    assertThat(cluster(uri, SCROLL)).isEqualTo("green");
    assertThat(cluster(uri, PIT.replace("pit", "pit_id"))).isEqualTo("green");
    assertThat(cluster(uri, "{}")).isEqualTo("blue");
  }

  @Test
  void leaveOtherBodiesUnread() {
    for (String uri : List.of("/logs/_search", "/_search/template", "/_bulk", "/", "")) {
      assertThat(BodyRoutedDestination.bodyKind(uri)).as(uri).isNull();
    }
  }
}
