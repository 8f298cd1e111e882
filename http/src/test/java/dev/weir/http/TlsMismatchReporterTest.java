package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.testkit.fixtures.RawHttpConnection;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log lines about REST ports whose TLS setting differs from the configuration. */
class TlsMismatchReporterTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger =
      (Logger) LoggerFactory.getLogger("dev.weir.http.proxy.TlsMismatchReporter");

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private List<String> said() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void tellsOnceOfAPortThatMaySpeakHttps() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              if (conversation.index > 1) {
                conversation.answer(200, "at last");
              }
            });
        HttpServerFixture rig = new HttpServerFixture.Setup().passThrough(node.address()).start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(502);
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(502);
      assertThat(said()).singleElement().asString().contains("rest-tls has to be enabled");
      assertThat(wire.send(RawHttpConnection.get("/")).read().text()).isEqualTo("at last");
      assertThat(said()).hasSize(2).last().asString().endsWith("answers");
    }
  }

  @Test
  void tellsOnceWhyNoEncryptedConnectionCameAbout() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.nodesTls = SslContextBuilder.forClient().build();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.readSome(new byte[1000]);
              conversation.write("HTTP/1.1 400 Bad Request\r\n\r\n");
            });
        HttpServerFixture rig = setup.passThrough(node.address()).start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(503);
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(503);
    }
    assertThat(said())
        .singleElement()
        .asString()
        .contains("no TLS connection: not an SSL/TLS record")
        .contains("rest-tls.ca-file");
  }

  @Test
  void saysNothingOfANodeThatGoes() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.nodesTls = SslContextBuilder.forClient().build();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> conversation.readSome(new byte[1000]));
        ScriptedNode resetting = new ScriptedNode(ScriptedNode.Conversation::reset);
        HttpServerFixture rig = setup.passThrough(node.address(), resetting.address()).start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(503);
      assertThat(wire.send(RawHttpConnection.get("/")).read().status()).isEqualTo(503);
    }
    assertThat(said()).isEmpty();
  }
}
