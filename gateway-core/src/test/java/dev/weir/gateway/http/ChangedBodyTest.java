package dev.weir.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies that are changed on their way, whichever way that is. */
class ChangedBodyTest {
  private static final int BUDGET = 400_000;

  private final BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();
  private ScriptedNode node;

  @BeforeEach
  void start() throws IOException {
    node =
        new ScriptedNode(conversation -> {
          while (true) {
            seen.add(conversation.read());
            conversation.answer(200, "from the node");
          }
        });
  }

  @AfterEach
  void end() throws IOException {
    node.close();
  }

  /** Has two letters for one, and none for another. */
  private static final class Longer implements BodyChange {
    @Override
    public void take(ByteBuf from, ByteBuf to) {
      String text = from.toString(UTF_8);
      if (text.contains("!")) {
        throw new UnchangeableBodyException("got ! (expected: less excitement)");
      }
      to.writeBytes(changed(text.getBytes(UTF_8)));
    }

    @Override
    public void end(ByteBuf to) {}
  }

  private Rig.Setup changing() {
    Rig.Setup setup =
        new Rig.Setup().handler(exchange -> exchange.respond(Rig.reply(200, Rig.bodyOf(exchange))));
    setup.nodes = List.of(node.address());
    setup.budget = BUDGET;
    setup.change = Longer::new;
    return setup;
  }

  private static byte[] body(int length, String last) {
    String line = "a line, and another one\n";
    return (line.repeat(length / line.length()) + last).getBytes(UTF_8);
  }

  private static byte[] changed(byte[] body) {
    return new String(body, UTF_8).replace("a", "bb").getBytes(UTF_8);
  }

  private static void send(Wire wire, byte[] body, String how) throws IOException {
    byte[] sent = how.contains("gzip") ? GatheredBodyTest.gzip(body) : body;
    wire.send(
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: "
            + sent.length
            + (how.contains("gzip") ? "\r\nContent-Encoding: gzip" : "")
            + "\r\n\r\n");
    wire.send(sent);
  }

  @ParameterizedTest
  @CsvSource({"plain, 50", "plain, 100000", "gzip, 50", "gzip, 100000"})
  void reachHandlers(String how, int length) throws Exception {
    byte[] body = body(length, "");
    try (Rig rig = changing().start();
        Wire wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        send(wire, body, how);
        assertThat(wire.read().text()).isEqualTo(new String(changed(body), UTF_8));
      }
      send(wire, body(length, "!"), how);
      Wire.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains("illegal_argument_exception", "got ! (expected: less excitement)");
      send(wire, body, how);
      assertThat(wire.read().status()).as("on the same connection").isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, 1000", "plain, 300000", "gzip, 300000"})
  void areWorkedOnWhileTheyCome(String how, int length) throws Exception {
    byte[] body = body(length, "");
    SectionWorker worker = new SectionWorker(2);
    Rig.Setup setup = changing().handler(worker);
    LineStreaming terms = new LineStreaming(30_000, 8 << 10, 64 << 10, 10_000);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      send(wire, body, how);
      String answer = wire.read().text();
      if (length < 30_000) {
        assertThat(answer).isEqualTo("whole: " + changed(body).length);
      } else {
        assertThat(worker.body()).isEqualTo(changed(body));
      }
    }
  }

  @Test
  void tellTheirWorkerWhereTheyCantBeChanged() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    Rig.Setup setup = changing().handler(worker);
    LineStreaming terms = new LineStreaming(30_000, 8 << 10, 64 << 10, 10_000);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      send(wire, body(200_000, "!\n"), "plain");
      assertThat(Rig.await(worker.ended)).contains("got ! (expected: less excitement)");
      assertThat(wire.read().text()).contains("got ! (expected: less excitement)");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "passed, plain, 50",
    "passed, plain, 500000",
    "passed, gzip, 500000",
    "late, plain, 50",
    "outgrown, gzip, 500000",
    "outgrown, plain, 500000"
  })
  void passThroughToANode(String way, String how, int length) throws Exception {
    byte[] body = body(length, "");
    Rig.Setup setup = changing().handler(exchange -> exchange.passThrough("late"));
    if (way.equals("passed")) {
      setup.passThrough(node.address());
    }
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        send(wire, body, how);
        assertThat(wire.read().text()).isEqualTo("from the node");
        ScriptedNode.Request request = seen.poll(Rig.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(request.body()).isEqualTo(changed(body));
        assertThat(request.header("content-encoding")).isEmpty();
      }
      send(wire, body(length, "!"), how);
      Wire.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains("got ! (expected: less excitement)");
      assertThat(seen).as("requests that are not whole").isEmpty();
    }
  }

  @Test
  void becomeWhatTheSecondPlaceNeeds() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Rig.Setup setup =
        changing()
            .handler(exchange -> exchange.respond(Rig.reply(503, Rig.bodyOf(exchange))))
            .standby(exchange ->
                exchange.respond(Rig.reply(200, Rig.bodyOf(exchange) + said(exchange))));
    setup.change = () -> asked.getAndIncrement() % 3 == 2 ? null : new Longer();
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      wire.send(Wire.post("/a", "ab"));
      assertThat(wire.read().text()).as("as it came").isEqualTo("abab");
    }
    setup.change = () -> asked.getAndIncrement() % 3 == 2 ? new Longer() : null;
    asked.set(0);
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      wire.send(Wire.post("/a", "ab!"));
      Wire.Response first = wire.read();
      assertThat(first.status()).as("it can't be said there").isEqualTo(503);
      assertThat(first.text()).isEqualTo("ab!");
    }
  }

  private static String said(HttpExchange exchange) {
    return UTF_8.decode(exchange.askedBody()).toString();
  }
}
