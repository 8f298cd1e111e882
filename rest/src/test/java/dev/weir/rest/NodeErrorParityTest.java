package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.RawHttpConnection;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that the gateway itself rejects get the same error as from a node. A real node gave the
 * responses in {@code node-answers.txt}. To record them again: {@code mvn -pl rest -am test
 * -Dtest=NodeErrorParityTest -Dweir.record.port=9200}, with the port of a node's REST API.
 */
class NodeErrorParityTest {
  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  static Stream<RecordedNodeResponse> recorded() {
    return RecordedNodeResponse.readAll().stream();
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void answersAsANodeDoes(RecordedNodeResponse node) {
    TestExchange exchange = open.send(node.exchange());

    var got =
        node.answered(
            exchange.reply().status(),
            exchange.reply().contentType(),
            node.method().equals("HEAD") ? new byte[0] : exchange.bytes());
    assertThat(got).isEqualTo(node);
    assertThat(open.executor().wasCalled()).isFalse();
    exchange.readToEnd();
    assertThat(open.dispatcher().runningActions()).isZero();
  }

  @Test
  @EnabledIfSystemProperty(
      named = "weir.record.port",
      matches = "\\d+",
      disabledReason = "records a node's answers; needs -Dweir.record.port")
  void recordAnew() throws IOException {
    int port = Integer.getInteger("weir.record.port");
    StringBuilder all = new StringBuilder();
    for (RecordedNodeResponse asked : List.copyOf(RecordedNodeResponse.readAll())) {
      all.append(record(asked, port).format());
    }
    Files.writeString(
        Path.of(
            System.getProperty("weir.root"),
            "rest/src/test/resources/dev/weir/rest/node-answers.txt"),
        all);
  }

  private static RecordedNodeResponse record(RecordedNodeResponse recorded, int port)
      throws IOException {
    byte[] body = recorded.body().getBytes(StandardCharsets.UTF_8);
    StringBuilder head =
        new StringBuilder(recorded.method() + " " + recorded.uri() + " HTTP/1.1\r\n")
            .append("Host: node\r\nContent-Length: " + body.length + "\r\n");
    recorded.headers().forEach(h -> head.append(h.getKey() + ": " + h.getValue() + "\r\n"));
    try (RawHttpConnection node =
        new RawHttpConnection(new InetSocketAddress("127.0.0.1", port), Duration.ofMinutes(1))) {
      node.send(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8)).send(body);
      RawHttpConnection.Response response =
          recorded.method().equals("HEAD") ? node.readHead() : node.read();
      return recorded.answered(response.status(), response.header("content-type"), response.body());
    }
  }
}
