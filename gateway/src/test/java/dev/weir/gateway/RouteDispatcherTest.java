package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.InternalExchange;
import dev.weir.bluegreen.shadow.InternalExchange.Outcome;
import dev.weir.bluegreen.shadow.RequestCopy;
import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.RespondLocally;
import dev.weir.model.RouteFilter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RouteDispatcherTest {
  private final List<HttpExchange> carriedOut = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();

  private void send(RequestRouter router) {
    send(new RouteDispatcher(router, carriedOut::add));
  }

  private void send(RequestHandler handler) {
    InetSocketAddress somebody = InetSocketAddress.createUnresolved("client", 1);
    RequestCopy request =
        new RequestCopy(
            "GET",
            "/logs-v2/_search",
            "HTTP/1.1",
            List.of(),
            ByteBuffer.allocate(0),
            new RequestCopy.ClientInfo("_default", RequestPolicy.NONE, somebody, somebody));
    new InternalExchange(request, Runnable::run, RequestMemory.UNBOUNDED, 0, outcomes::add)
        .start(handler);
  }

  private Decision way(String method, String uri, Decision way) {
    asked.add(method + " " + uri);
    return way;
  }

  @Test
  void doNotUseTheGatewaysIdentityOnASecuredCluster() {
    AtomicReference<AuthorizationMode> mode = new AtomicReference<>(AuthorizationMode.NONE);
    RequestRouter router =
        RouteFilter.chain(
            (method, uri) -> way(method, uri, new Coordinate("search")),
            List.of(new SecuredClusterFilter(mode::get)));
    send(router);
    assertThat(carriedOut).hasSize(1);
    assertThat(outcomes).isEmpty();
    assertThat(asked).containsExactly("GET /logs-v2/_search");

    mode.set(AuthorizationMode.DELEGATE);
    send(router);
    assertThat(carriedOut).hasSize(1);
    assertThat(outcomes).containsExactly(new Outcome.PassedThrough("security"));
  }

  @Test
  void executeOnlyCoordinatedRequests() {
    RequestRouter router = (method, uri) -> new RespondLocally("nodes_info");
    send(router);
    assertThat(carriedOut).isEmpty();
    assertThat(outcomes).containsExactly(new Outcome.PassedThrough("local"));
  }

  @Test
  void reportLostNodesOfAnUnreachableCluster() {
    send(
        RequestFilter.chain(
            List.of(new ClusterAvailabilityFilter(() -> "no node answers")), carriedOut::add));
    assertThat(carriedOut).isEmpty();
    assertThat(outcomes)
        .singleElement()
        .isInstanceOfSatisfying(
            Outcome.Responded.class,
            replied -> {
              assertThat(replied.incomplete()).isTrue();
              assertThat(replied.reply().status()).isEqualTo(503);
            });
  }
}
