package dev.weir.it.containers;

import static dev.weir.it.RequestMetrics.searches;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.TestSeed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In front of a node with the security plugin in its demo configuration, the gateway finds out that
 * the node checks clients, and each client gets from the gateway what the node gives.
 */
class SecuredImageIT {
  private static final String ORDERS =
      """
      {"index": {"_id": "1"}}
      {"order": "A-1", "region": "north", "amount": 10}
      {"index": {"_id": "2"}}
      {"order": "A-2", "region": "south", "amount": 20}
      {"index": {"_id": "3"}}
      {"order": "A-3", "region": "north", "amount": 30}
      """;

  private static final int UNAUTHORIZED = 401;

  /**
   * A client.
   *
   * @param isKnown whether its credentials are right
   */
  private record CheckedClient(String name, RestAccess access, boolean isKnown) {}

  /** A request that leaves the index as it is. */
  private record CheckedRequest(String method, String path, String body) {
    RestReply send(RestClient client) {
      return client.send(method, path, body, Map.of());
    }

    boolean isSearchOfOrders() {
      return path.startsWith("/orders/_search");
    }

    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  private static final List<CheckedRequest> REQUESTS =
      List.of(
          new CheckedRequest("GET", "/", ""),
          new CheckedRequest("GET", "/orders/_search?sort=amount", ""),
          new CheckedRequest(
              "POST",
              "/orders/_search",
              "{\"size\": 0, \"aggs\": {\"all\": {\"sum\": {\"field\": \"amount\"}}}}"),
          new CheckedRequest("POST", "/orders/_search", "{\"query\": {\"no_such_query\": {}}}"),
          new CheckedRequest("GET", "/orders/_count?q=region:north", ""),
          new CheckedRequest("GET", "/orders/_doc/1", ""),
          new CheckedRequest("GET", "/orders/_doc/missing", ""),
          new CheckedRequest("POST", "/orders/_mget", "{\"ids\": [\"1\", \"2\"]}"),
          new CheckedRequest("POST", "/_msearch", "{\"index\": \"orders\"}\n{\"size\": 0}\n"),
          new CheckedRequest("GET", "/missing/_search", ""),
          new CheckedRequest("POST", "/orders/_update/1", "{\"doc\": {\"region\": \"north\"}}"),
          new CheckedRequest("PUT", "/orders/_create/1", "{\"order\": \"A-1\"}"),
          new CheckedRequest("GET", "/_plugins/_security/authinfo?filter_path=user_name", ""));

  @ParameterizedTest
  @MethodSource("dev.weir.it.containers.NodeImage#all")
  void givesEachClientWhatTheNodeGives(NodeImage image, @TempDir Path folder) {
    image.pullOrSkip(ContainerEngine.clientOrSkip());
    try (DemoSecuredNode node =
            DemoSecuredNode.startOrSkip(image, folder, TestSeed.random(SecuredImageIT.class));
        TestBed bed = TestBed.startWithConfig(node.gatewayConfig())) {
      writeThroughTheGateway(node, bed);
      assertThat(authorization(bed, "mode")).isEqualTo("delegate");
      assertThat(authorization(bed, "configured")).isEqualTo("false");
      List<CheckedClient> clients = clients(node);
      clients.forEach(client -> compare(client, node, bed));
      assertThat(searches(bed, "path=\"coordinated\"")).isZero();
      long searched = REQUESTS.stream().filter(CheckedRequest::isSearchOfOrders).count();
      assertThat(searches(bed, "reason=\"security\""))
          .isGreaterThanOrEqualTo((double) (clients.size() * searched));
      bed.assertNothingHeld();
    }
  }

  private static void writeThroughTheGateway(DemoSecuredNode node, TestBed bed) {
    RestAccess admin = node.password(DemoSecuredNode.ADMIN, DemoSecuredNode.PASSWORD);
    try (RestClient through = new RestClient(bed.uri(), admin);
        RestClient direct = node.client(admin)) {
      through.send("PUT", "/orders", "{\"settings\": {\"number_of_replicas\": 0}}").orThrow();
      byte[] lines = ORDERS.getBytes(StandardCharsets.UTF_8);
      RestReply written = through.bulk("/orders/_bulk?refresh=true", lines).orThrow();
      assertThat(written.body()).contains("\"errors\":false");
      assertThat(direct.send("GET", "/orders/_count").orThrow().body()).contains("\"count\":3");
    }
  }

  private static List<CheckedClient> clients(DemoSecuredNode node) {
    String right = DemoSecuredNode.PASSWORD;
    return List.of(
        new CheckedClient("the administrator", node.password(DemoSecuredNode.ADMIN, right), true),
        new CheckedClient("the reader", node.password(DemoSecuredNode.READER, right), true),
        new CheckedClient(
            "the reader with a wrong password",
            node.password(DemoSecuredNode.READER, "wrong"),
            false),
        new CheckedClient("an unknown user", node.password("nobody", right), false),
        new CheckedClient("a client without credentials", node.none(), false));
  }

  private static void compare(CheckedClient client, DemoSecuredNode node, TestBed bed) {
    try (RestClient direct = node.client(client.access());
        RestClient through = new RestClient(bed.uri(), client.access())) {
      for (CheckedRequest request : REQUESTS) {
        RestReply expected = request.send(direct);
        RestReply got = request.send(through);
        String what = request + " by " + client.name();
        assertThat(got.status()).as(what).isEqualTo(expected.status());
        assertThat(withoutTimes(got)).as(what).isEqualTo(withoutTimes(expected));
        assertThat(got.status() == UNAUTHORIZED)
            .as(what + ": " + got)
            .isNotEqualTo(client.isKnown());
      }
      if (client.isKnown()) {
        assertThat(through.send("GET", "/orders/_search").orThrow().body()).contains("A-1");
      }
    }
  }

  private static String withoutTimes(RestReply reply) {
    return reply.body().replaceAll("\"took\":\\d+", "\"took\":0");
  }

  private static String authorization(TestBed bed, String key) {
    return JsonResponse.of(bed.admin().send("GET", "/readyz").orThrow())
        .text("authorization.main." + key);
  }
}
