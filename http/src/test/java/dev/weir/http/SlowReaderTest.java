package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.BufferedResponse;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Clients that read slowly do not hold the memory of responses for long. */
class SlowReaderTest {
  private static final int RESPONSE_BYTES = 64 << 20;

  private final AtomicLong skewNanos = new AtomicLong();
  private final AtomicInteger held = new AtomicInteger();

  /** Answers with more bytes than the kernel takes. */
  private HttpServerFixture.Setup setup() {
    List<ByteBuffer> body =
        Collections.nCopies(RESPONSE_BYTES >> 20, ByteBuffer.wrap(new byte[1 << 20]));
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              if (exchange.uri().equals("/small")) {
                exchange.respond(HttpServerFixture.reply(200, "small"));
              } else {
                held.incrementAndGet();
                exchange.respond(
                    new BufferedResponse(200, "a/b", List.of(), body, held::decrementAndGet));
              }
            });
    setup.nanoClock = () -> System.nanoTime() + skewNanos.get();
    Duration day = Duration.ofDays(1);
    return setup.timeouts(new HttpTimeouts(day, day, day, day));
  }

  @Test
  void closeAReaderBelowTheMinimumRate() throws Exception {
    try (HttpServerFixture rig = setup().start();
        RawHttpConnection stalled = rig.connect()) {
      stalled.send(RawHttpConnection.get("/"));
      HttpServerFixture.await("the response", () -> held.get() == 1);
      HttpServerFixture.await(
          "the release",
          () -> {
            skewNanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            return held.get() == 0;
          });
      assertThat(rig.server.counts().count(Reason.SLOW_READER)).isOne();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void closeTheSlowestReaderWhenOthersNeedTheMemory() throws Exception {
    try (HttpServerFixture rig = setup().start();
        RawHttpConnection stalled = rig.connect();
        RawHttpConnection idle = rig.connect()) {
      rig.server.evictSlowReaders(); // nothing to close
      idle.send(RawHttpConnection.get("/small"));
      assertThat(idle.read().text()).isEqualTo("small");
      stalled.send(RawHttpConnection.get("/"));
      HttpServerFixture.await("the response", () -> held.get() == 1);
      rig.server.evictSlowReaders(); // too early to tell
      HttpServerFixture.await(
          "the release",
          () -> {
            skewNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
            rig.server.evictSlowReaders();
            return held.get() == 0;
          });
      assertThat(rig.server.counts().count(Reason.EVICTED_READER)).isOne();
      idle.send(RawHttpConnection.get("/small"));
      assertThat(idle.read().text()).isEqualTo("small");
    }
  }

  @Test
  void evictAReaderWhoseAddressHoldsMoreThanItsShare() throws Exception {
    long twoResponses = 2L * RESPONSE_BYTES; // of which one address may hold three quarters
    HttpServerFixture.Setup setup =
        setup().clients(ClientLimits.standard().withMaxHeldResponseBytes(twoResponses));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection first = rig.connect();
        RawHttpConnection second = rig.connect();
        RawHttpConnection other = rig.connectFrom("127.0.0.2")) {
      for (RawHttpConnection stalled : List.of(first, second, other)) {
        stalled.send(RawHttpConnection.get("/"));
      }
      HttpServerFixture.await("the responses", () -> held.get() == 3);
      HttpServerFixture.await(
          "the release",
          () -> {
            skewNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
            return held.get() < 3;
          });
      // Two event loops may each find the share exceeded, and close one of the client's readers.
      assertThat(rig.server.counts().count(Reason.EVICTED_READER)).isBetween(1L, 2L);
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(held).hasPositiveValue();
      assertThat(other.readHead().status()).isEqualTo(200);
    }
  }
}
