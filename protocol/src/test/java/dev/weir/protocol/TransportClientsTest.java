package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.NodeCallException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.NodeNotConnectedException;

/** Calls, reconnections, and changes of the set of nodes. */
class TransportClientsTest extends TransportClientsFixture {
  private static ScriptedTransportNode.Request heldOn(
      TransportClients clients, ScriptedTransportNode node, Executor home) {
    send(client(clients, node), held(), home);
    return node.take();
  }

  @Test
  void answersOnTheHomesOwnLoop() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    for (ChannelKind kind : ChannelKind.values()) {
      for (int i = 0; i < loops.size(); i++) {
        int loop = i;
        RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
        loops
            .loop(i)
            .execute(() -> client(clients, node).send(echo("x", kind), loops.loop(loop), told));

        assertThat(told.reply()).isEqualTo("a x");
        assertThat(loops.loop(i).inEventLoop(told.thread())).isTrue();
      }
    }
    assertThat(clients.stats().nodes().getFirst().openChannels()).isEqualTo(5);
    assertThat(node.connections()).isEqualTo(5);
  }

  @Test
  void answersAtAHomeElsewhere() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    try (ExecutorService home = Executors.newSingleThreadExecutor(r -> new Thread(r, "home"))) {
      RecordingReplyHandler<String> told = send(client(clients, node), echo("x"), home);

      assertThat(told.reply()).isEqualTo("a x");
      assertThat(told.thread().getName()).isEqualTo("home");
    }
  }

  @Test
  void speaksTheOlderOfTwoVersions() {
    ScriptedTransportNode node = node("a");
    node.version = Version.fromString("2.19.4");
    List<Version> versions = new ArrayList<>();
    node.on(
        "test/echo",
        request -> {
          versions.add(request.header().getVersion());
          request.answer(out -> out.writeVInt(out.getVersion().id));
        });
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeCall<String> echo = echo("x");

    RecordingReplyHandler<Integer> told =
        send(
            client(clients, node),
            new NodeCall<>(
                echo.action(),
                echo.payload(),
                in -> in.getVersion().id - in.readVInt() + 1,
                echo.kind(),
                Map.of(),
                echo.timeout()));

    assertThat(told.reply()).isGreaterThan(0);
    assertThat(versions).containsExactly(Version.fromString("2.19.4"));
  }

  @Test
  void losesAConnectionAndComesBack() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    RecordingReplyHandler<String> inFlight = send(client, held());
    node.take();

    node.cut();

    assertThat(inFlight.failure().kind()).isEqualTo(Kind.CONNECTION_LOST);
    assertThat(inFlight.failure().exception()).isInstanceOf(NodeDisconnectedException.class);
    awaitTrue("both read channels again", () -> node.connections() == 2);
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    assertThat(send(client, echo("again")).reply()).isEqualTo("a again");
    assertThat(clients.stats().nodes().getFirst().disconnects()).isEqualTo(2);
  }

  @Test
  void failsAtOnceWhileANodeIsDownAndFindsItWhenItIsBack() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    assertThat(send(client, echo("x")).reply()).isEqualTo("a x");

    node.close();
    awaitTrue("seen", () -> clients.stats().nodes().getFirst().connectFailures() > 3);
    assertThat(client.isConnected()).isFalse();
    NodeCallException failure = send(client, echo("x")).failure();
    assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(failure.exception())
        .isInstanceOf(NodeNotConnectedException.class)
        .hasMessage("[a][127.0.0.1:" + node.address().getPort() + "] Node not connected");
    assertThat(clients.stats().nodes().getFirst().lastError()).contains("connect_exception");

    node.start();
    awaitTrue("back", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    assertThat(send(client, echo("x")).reply()).isEqualTo("a x");
    assertThat(clients.stats().nodes().getFirst().lastError()).isEmpty();
  }

  @Test
  void readsGoToAnotherLoopsChannelWhileTheirOwnIsDown() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    ScriptedTransportNode.Request held = heldOn(clients, node, loops.loop(1));
    node.on("internal:tcp/handshake", request -> request.channel().close());
    held.channel().close();
    awaitTrue("failing", () -> clients.stats().nodes().getFirst().connectFailures() > 1);

    RecordingReplyHandler<String> told = send(client(clients, node), echo("x"), loops.loop(1));

    assertThat(told.reply()).isEqualTo("a x");
    assertThat(loops.loop(1).inEventLoop(told.thread())).isTrue();
  }

  @Test
  void boundCallsThatWaitForTheFirstConnection() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    List<ScriptedTransportNode.Request> handshakes = new CopyOnWriteArrayList<>();
    node.on("internal:tcp/handshake", handshakes::add);
    TransportClients clients =
        clients(
            TransportOptions.defaults()
                .withTiming(QUICK)
                .withLimits(new TransportOptions.Limits(1 << 20, 1 << 20, 100, 3, 1 << 20)));
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    List<RecordingReplyHandler<String>> told = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      told.add(send(client, echo("x" + i, ChannelKind.CONTROL)));
    }

    NodeCallException refused = told.get(3).failure();
    assertThat(refused.kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused)
        .hasMessage("[a] too many calls wait for a connection: got 3 (expected: fewer than 3)");
    assertThat(clients.stats().pending()).isEqualTo(3);

    awaitTrue("all ask", () -> handshakes.size() == 3);
    handshakes.forEach(request -> request.answer(out -> out.writeVersion(node.version)));
    for (int i = 0; i < 3; i++) {
      assertThat(told.get(i).reply()).isEqualTo("a x" + i);
    }
    assertThat(clients.stats().pending()).isZero();
  }

  @Test
  void countCallsWhoseConnectionFails() {
    ScriptedTransportNode node = node("a");
    List<ScriptedTransportNode.Request> handshakes = new CopyOnWriteArrayList<>();
    node.on("internal:tcp/handshake", handshakes::add);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    RecordingReplyHandler<String> handler =
        send(client(clients, node), echo("x", ChannelKind.CONTROL));
    awaitTrue("it waits", () -> clients.stats().pending() == 1);
    awaitTrue("all ask", () -> handshakes.size() == 3);

    node.close();

    assertThat(handler.failure().kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(clients.stats().nodes().getFirst().rejections()).isEqualTo(1);
  }

  @Test
  void cancelAndTimeOutCallsThatWaitForAConnection() {
    ScriptedTransportNode node = node("a");
    node.on("internal:tcp/handshake", request -> {});
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    RecordingReplyHandler<String> forgotten = new RecordingReplyHandler<>();
    PendingCall call = client.send(echo("x"), ANYWHERE, forgotten);
    NodeCall<String> echo = echo("x");
    RecordingReplyHandler<String> impatient =
        send(
            client,
            new NodeCall<>(
                echo.action(),
                echo.payload(),
                echo.reader(),
                echo.kind(),
                Map.of(),
                Duration.ofMillis(20)));

    assertThat(call.abandon()).isTrue();

    assertThat(impatient.failure().kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(impatient.failure()).hasMessageContaining("Node not connected within [20ms]");
    awaitTrue("nothing waits", () -> clients.stats().pending() == 0);
    assertThat(forgotten.isTold()).isFalse();
  }

  @Test
  void doNotSendCallsCancelledBeforeTheConnection() {
    ScriptedTransportNode node = node("a");
    BlockingQueue<ScriptedTransportNode.Request> handshakes = new LinkedBlockingQueue<>();
    node.on("internal:tcp/handshake", handshakes::add);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    List<PendingCall> calls = new CopyOnWriteArrayList<>();
    Executor home = loops.loop(0);
    for (String text : List.of("forgotten", "kept")) {
      home.execute(() ->
          calls.add(
              client.send(
                  new NodeCall<>(
                      "test/" + text,
                      echo(text).payload(),
                      StreamInput::readString,
                      ChannelKind.BULK,
                      Map.of(),
                      Duration.ZERO),
                  home,
                  new RecordingReplyHandler<String>())));
    }
    awaitTrue("both wait", () -> clients.stats().pending() == 2);
    assertThat(calls).noneMatch(PendingCall::isWritten);

    assertThat(calls.getFirst().abandon()).isTrue();
    awaitTrue("one is forgotten", () -> clients.stats().pending() == 1);
    awaitTrue("all channels ask", () -> handshakes.size() == 3);
    handshakes.forEach(request -> request.answer(out -> out.writeVersion(node.version)));

    assertThat(node.take().action()).isEqualTo("test/kept");
    assertThat(calls.getLast().isWritten()).isTrue();
    assertThat(calls.getFirst().isWritten()).isFalse();
  }

  @Test
  void leavesARemovedNodeOnceItAnswered() {
    ScriptedTransportNode a = node("a");
    ScriptedTransportNode b = node("b");
    TransportClients clients = clients();
    clients.update(List.of(a.endpoint(), b.endpoint()));
    NodeClient leaving = client(clients, a);
    RecordingReplyHandler<String> told = send(leaving, held());
    ScriptedTransportNode.Request request = a.take();

    clients.update(List.of(b.endpoint()));

    assertThat(clients.byId(a.id)).isNull();
    assertThat(clients.all()).extracting(c -> c.endpoint().id()).containsExactly(b.id);
    awaitTrue("idle channel closed", () -> a.connections() == 1);
    assertThat(send(leaving, echo("x")).failure().kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(clients.stats().nodes()).hasSize(2);
    request.answer(out -> out.writeString("still"));
    assertThat(told.reply()).isEqualTo("still");
    awaitTrue("left", () -> a.connections() == 0 && clients.stats().nodes().size() == 1);
  }

  @Test
  void followsANodeToAnotherAddress() {
    ScriptedTransportNode before = node("a");
    ScriptedTransportNode after = node("a");
    before.on("test/echo", request -> request.answer(out -> out.writeString("before")));
    after.on("test/echo", request -> request.answer(out -> out.writeString("after")));
    TransportClients clients = clients();
    clients.update(List.of(before.endpoint()));
    NodeClient client = client(clients, before);
    assertThat(send(client, echo("x")).reply()).isEqualTo("before");
    RecordingReplyHandler<String> inFlight = send(client, held());
    ScriptedTransportNode.Request request = before.take();

    clients.update(List.of(after.endpoint()));
    awaitTrue("moved", () -> after.handshakes.get() == 2);

    assertThat(client(clients, after)).isSameAs(client);
    awaitTrue("open there", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    assertThat(send(client, echo("x")).reply()).isEqualTo("after");
    request.answer(out -> out.writeString("from the old address"));
    assertThat(inFlight.reply()).isEqualTo("from the old address");
    awaitTrue("old address left", () -> before.connections() == 0);
  }

  @Test
  void dropsTheConnectionsOfANodesEarlierStart() {
    ScriptedTransportNode node = node("a");
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    RecordingReplyHandler<String> inFlight = send(client, held());
    node.take();

    node.ephemeralId = "start-2";
    clients.update(List.of(node.endpoint()));

    assertThat(inFlight.failure().kind()).isEqualTo(Kind.CONNECTION_LOST);
    awaitTrue("connected again", () -> node.handshakes.get() == 4 && node.connections() == 2);
    clients.update(List.of(node.endpoint()));
    echoes(node);
    assertThat(send(client, echo("x")).reply()).isEqualTo("a x");
    assertThat(node.handshakes).hasValue(4);
  }

  @Test
  void tellListenersEachStartOfANodeAndItsEnd() {
    ScriptedTransportNode node = node("a");
    TransportClients clients = clients();
    List<String> heard = new CopyOnWriteArrayList<>();
    clients.addConnectionListener(
        new NodeConnectionListener() {
          @Override
          public void onChannelOpened(NodeClient opened, String processId) {
            heard.add(opened.endpoint().id() + " " + processId + " " + opened.isConnected());
          }

          @Override
          public void onDisconnected(NodeClient lost) {
            heard.add("lost " + lost.endpoint().id());
          }
        });
    clients.connectSeed(node.endpoint().transport()).toCompletableFuture().join().close();
    String first = node.endpoint().id() + " " + node.endpoint().ephemeralId() + " true";
    clients.update(List.of(node.endpoint()));
    awaitTrue("two channels", () -> heard.size() == 2);
    assertThat(heard).containsExactly(first, first);

    node.ephemeralId = "start-2";
    clients.update(List.of(node.endpoint()));
    String second = node.endpoint().id() + " start-2 true";
    awaitTrue("two more", () -> Collections.frequency(heard, second) == 2);

    clients.update(List.of());
    awaitTrue("the end", () -> heard.getLast().equals("lost " + node.endpoint().id()));
  }

  @Test
  void doesNotTalkToAnotherNodeAtAKnownAddress() {
    ScriptedTransportNode node = node("a");
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    NodeClient client = client(clients, node);

    node.id = "another";
    node.cut();

    awaitTrue(
        "refused",
        () ->
            clients
                .stats()
                .nodes()
                .getFirst()
                .lastError()
                .contains("handshake with another node: got [another] a (expected: [id-a])"));
    assertThat(send(client, echo("x")).failure().kind()).isEqualTo(Kind.NOT_SENT);
  }

  @Test
  void failCallsInFlightAndLaterOnesOnClose() {
    ScriptedTransportNode node = node("a");
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    RecordingReplyHandler<String> inFlight = send(client, held());
    node.take();

    clients.close();
    clients.close();
    clients.update(List.of(node.endpoint()));

    assertThat(inFlight.failure().kind()).isEqualTo(Kind.CONNECTION_LOST);
    assertThat(send(client, echo("x")).failure().kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(clients.all()).isEmpty();
    assertThat(clients.connectSeed(node.address()).toCompletableFuture())
        .isCompletedExceptionally();
    awaitTrue("left", () -> node.connections() == 0);
  }

  @Test
  void compressWhenConfigured() {
    ScriptedTransportNode node = node("a");
    node.on("test/echo", request -> request.answer(out -> out.writeString("y".repeat(10_000))));
    TransportClients clients =
        clients(
            TransportOptions.defaults()
                .withTiming(QUICK)
                .withCompression(TransportOptions.Compression.ON));
    clients.update(List.of(node.endpoint()));

    RecordingReplyHandler<String> told = send(client(clients, node), echo("x".repeat(10_000)));

    assertThat(told.reply()).isEqualTo("y".repeat(10_000));
    TransportStats.Node stats = clients.stats().nodes().getFirst();
    assertThat(stats.bytesIn()).isLessThan(3_000);
    assertThat(stats.bytesOut()).isLessThan(3_000);
  }

  @Test
  void carriesManyCallsAtOnceAndLargeOnes() {
    ScriptedTransportNode node = node("a");
    echoes(node);
    TransportClients clients = clients();
    clients.update(List.of(node.endpoint()));
    NodeClient client = client(clients, node);
    List<RecordingReplyHandler<String>> told = new ArrayList<>();
    String large = "0123456789".repeat(700_000);

    for (int i = 0; i < 500; i++) {
      told.add(send(client, echo("x" + i), loops.loop(i % 2)));
    }
    RecordingReplyHandler<String> big = send(client, echo(large, ChannelKind.BULK), loops.loop(0));

    for (int i = 0; i < 500; i++) {
      assertThat(told.get(i).reply()).isEqualTo("a x" + i);
    }
    assertThat(big.reply()).hasSize(large.length() + 2);
    assertThat(clients.stats().nodes().getFirst().responses()).isGreaterThanOrEqualTo(501);
  }
}
