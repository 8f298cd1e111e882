package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.transport.ConnectTransportException;

/** The handshakes, and the messages of their failures. */
class SeedClientTest extends TransportClientsFixture {
  private void refusesSeed(TransportClients clients, ScriptedTransportNode node, String why) {
    assertThatThrownBy(() -> seed(clients, node.address()))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(ConnectTransportException.class)
        .hasMessageContaining(why);
    awaitTrue("nothing stays open", () -> node.connections() == 0);
  }

  @Test
  void identifyASeed() throws Exception {
    ScriptedTransportNode node = node("a");
    node.version = Version.fromString("2.19.4");

    SeedClient seed = seed(clients(), node.address());

    assertThat(seed.clusterName()).isEqualTo("fake");
    assertThat(seed.endpoint()).isEqualTo(node.endpoint());
    assertThat(seed.endpoint().version()).isEqualTo("2.19.4");
    assertThat(seed.isConnected()).isTrue();
    seed.close();
    awaitTrue("left", () -> node.connections() == 0 && !seed.isConnected());
  }

  @Test
  void looksTheNameOfASeedUp() throws Exception {
    ScriptedTransportNode node = node("a");
    int port = node.address().getPort();

    SeedClient seed = seed(clients(), InetSocketAddress.createUnresolved("localhost", port));

    assertThat(seed.endpoint().id()).isEqualTo("id-a");
    assertThat(seed.endpoint().transport()).isEqualTo(node.address());
  }

  @Test
  void saysThatASeedsNameIsUnknown() {
    assertThatThrownBy(() -> seed(clients(), InetSocketAddress.createUnresolved("a..b", 9300)))
        .cause()
        .isInstanceOf(ConnectTransportException.class)
        .hasMessageContaining("unknown host [a..b]");
  }

  @Test
  void failASeedThatConnectsWhileTheClientsClose() {
    ScriptedTransportNode node = node("a");
    node.on("internal:tcp/handshake", request -> {});
    TransportClients clients = clients();
    CompletableFuture<SeedClient> seed = clients.connectSeed(node.address()).toCompletableFuture();
    awaitTrue("it connects", () -> node.connections() == 1);

    clients.close();

    assertThatThrownBy(() -> seed.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(ConnectTransportException.class)
        .hasMessageContaining("the client is closed");
  }

  private static TransportStats.Node statsOf(TransportClients clients, String id) {
    List<TransportStats.Node> found =
        clients.stats().nodes().stream().filter(row -> row.id().equals(id)).toList();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void reportASeedApartFromItsNode() throws Exception {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    awaitTrue("open", () -> statsOf(clients, node.id).openChannels() == 2);
    SeedClient seed = seed(clients, node.address());
    assertThat(send(client(clients, node), echo("x")).reply()).isEqualTo("a x");

    assertThat(seed.endpoint().id()).isEqualTo(node.id);
    assertThat(statsOf(clients, node.id).openChannels()).isEqualTo(2);
    assertThat(statsOf(clients, node.id).responses()).isEqualTo(1);
    assertThat(statsOf(clients, "").openChannels()).isEqualTo(1);
    assertThat(statsOf(clients, "").responses()).isZero();
  }

  @Test
  void addUpTheClientsOfANodeThatLeftAndCameBack() {
    ScriptedTransportNode node = node("a");
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    RecordingReplyHandler<String> before = send(client(clients, node), held());
    ScriptedTransportNode.Request request = node.take();
    clients.update(List.of());
    clients.update(List.of(node.endpoint()));
    RecordingReplyHandler<String> after = send(client(clients, node), held());
    ScriptedTransportNode.Request later = node.take();

    awaitTrue("both in flight", () -> statsOf(clients, node.id).inFlight() == 2);
    request.answer(out -> out.writeString("before"));
    later.answer(out -> out.writeString("after"));
    assertThat(before.reply()).isEqualTo("before");
    assertThat(after.reply()).isEqualTo("after");
    awaitTrue(
        "the former client is closed",
        () -> statsOf(clients, node.id).openChannels() == 2 && node.connections() == 2);
    assertThat(statsOf(clients, node.id).sent()).isEqualTo(2);
    assertThat(statsOf(clients, node.id).responses()).isEqualTo(2);
  }

  private SeedClient calledSeed(TransportClients clients, ScriptedTransportNode node)
      throws Exception {
    echoes(node);
    SeedClient seed = seed(clients, node.address());
    assertThat(send(seed, echo("x")).reply()).isEqualTo(node.name + " x");
    return seed;
  }

  private static List<Long> totals(TransportStats.Node row) {
    return List.of(row.sent(), row.responses(), row.bytesIn(), row.bytesOut(), row.connects());
  }

  private static void assertKept(List<Long> before, TransportStats.Node row) {
    assertThat(row.name()).isEmpty();
    for (int i = 0; i < before.size(); i++) {
      assertThat(totals(row).get(i)).isGreaterThanOrEqualTo(before.get(i));
    }
  }

  @Test
  void keepTheCountersOfClosedSeeds() throws Exception {
    ScriptedTransportNode a = node("a");
    ScriptedTransportNode b = node("b");
    TransportClients clients = clients();
    SeedClient first = calledSeed(clients, a);
    SeedClient second = calledSeed(clients, b);
    List<Long> before = totals(statsOf(clients, ""));
    assertKept(before, statsOf(clients, ""));

    first.close();
    awaitTrue("the first left", () -> a.connections() == 0);
    assertKept(before, statsOf(clients, ""));
    second.close();
    awaitTrue("no seed is left", () -> clients.stats().nodes().isEmpty());
    calledSeed(clients, b);
    assertKept(before, statsOf(clients, ""));
    assertThat(statsOf(clients, "").responses()).isEqualTo(3);
  }

  @Test
  void refusesNodesOfAnotherCluster() {
    ScriptedTransportNode node = node("a");

    refusesSeed(
        clients(TransportOptions.defaults().withClusterName("prod")),
        node,
        "handshake with another cluster: got [fake] (expected: [prod])");
  }

  @Test
  void refusesNodesThatAreTooOld() {
    ScriptedTransportNode node = node("a");
    node.version = Version.fromString("2.11.0");

    refusesSeed(
        clients(), node, "node of an unsupported version: got 2.11.0 (expected: 2.19.0 or newer");
  }

  @Test
  void reportARefusedConnection() {
    ScriptedTransportNode node = node("a");
    node.close();

    refusesSeed(clients(), node, "connect_exception");
  }

  @Test
  void saysThatANodeHungUpInTheHandshake() {
    ScriptedTransportNode node = node("a");
    node.on("internal:tcp/handshake", request -> request.channel().close());

    refusesSeed(
        clients(),
        node,
        "handshake failed: connection closed by the node: it is still starting, wants TLS"
            + " (transport-tls), or is older");
  }

  @Test
  void saysThatTheRestPortWasGiven() {
    ScriptedTransportNode node = node("a");
    node.on(
        "internal:tcp/handshake",
        request ->
            request.send("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8)));

    refusesSeed(clients(), node, "which is HTTP: is this a node's REST port?");
  }

  @Test
  void givesUpOnAHandshakeThatIsNotAnswered() {
    ScriptedTransportNode node = node("a");
    node.on("internal:tcp/handshake", request -> {});
    TransportOptions.Timing impatient =
        new TransportOptions.Timing(
            Duration.ofSeconds(5),
            Duration.ofMillis(50),
            Duration.ofSeconds(20),
            Duration.ofMillis(2),
            Duration.ofMillis(20),
            Duration.ofSeconds(60));

    refusesSeed(
        clients(TransportOptions.defaults().withTiming(impatient)),
        node,
        "[internal:tcp/handshake] request_id [1] timed out after [");
  }
}
