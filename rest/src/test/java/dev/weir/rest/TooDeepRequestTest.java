package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.testkit.fixtures.TestExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

class TooDeepRequestTest {
  @RegisterExtension final RestDispatcherFixture dispatcher = new RestDispatcherFixture();

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();

  @BeforeEach
  void listen() {
    written.start();
    root.addAppender(written);
  }

  @AfterEach
  void stopListening() {
    root.detachAppender(written);
  }

  private TestExchange send(Runnable onAction) {
    dispatcher.executor().before(onAction);
    return dispatcher.send(TestExchange.queued("POST", "/a/_search").json("{}"));
  }

  /** Overflows the stack, as the parser of a deeply nested body does. */
  private static int overflow(int depth) {
    return depth == Integer.MAX_VALUE ? depth : 1 + overflow(depth + 1);
  }

  @Test
  void rejectARequestThatOverflowsTheStack() {
    TestExchange exchange = send(() -> overflow(0));

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text())
        .contains("\"type\":\"too_deep_request_exception\"", "too many levels");
    assertThat(written.list)
        .as("log lines above DEBUG")
        .noneMatch(line -> line.getLevel().isGreaterOrEqual(Level.INFO));
  }

  @Test
  void answerTheNextRequest() {
    send(() -> overflow(0));
    send(() -> {}).disconnect();

    assertThat(dispatcher.executor().calls()).hasSize(1);
  }
}
