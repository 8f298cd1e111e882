package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    FakeExchange exchange = open.send(node.exchange());

    var got =
        node.answered(
            exchange.reply().status(),
            exchange.reply().contentType(),
            node.method().equals("HEAD") ? new byte[0] : exchange.bytes());
    assertThat(got).isEqualTo(node);
    assertThat(open.executor().wasCalled()).isFalse();
    exchange.flushed();
    assertThat(open.door().runningActions()).isZero();
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
      all.append(RawHttp.ask("127.0.0.1", port, asked).format());
    }
    Files.writeString(
        Path.of(
            System.getProperty("weir.root"),
            "rest/src/test/resources/dev/weir/rest/node-answers.txt"),
        all);
  }
}
