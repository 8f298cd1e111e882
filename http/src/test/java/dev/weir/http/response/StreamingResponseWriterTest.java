package dev.weir.http.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.http.HttpServerFixture;
import dev.weir.model.BodySource;
import dev.weir.model.HttpExchange;
import dev.weir.model.StreamingResponse;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses that are produced while the client reads them. */
class StreamingResponseWriterTest {
  private static final int PART = 100_000;

  /** More than socket buffers hold. */
  private static final int MANY = 800;

  /** Writes parts while the client reads them; each must be released once. */
  private static final class Parts implements BodySource {
    private final int count;
    private final boolean breaksOff;
    private final AtomicLong written = new AtomicLong();
    private final AtomicInteger released = new AtomicInteger();
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private final CompletableFuture<Void> repliesOver = new CompletableFuture<>();
    private boolean begun;
    private @Nullable Sink taker;

    Parts(int count, boolean breaksOff) {
      this.count = count;
      this.breaksOff = breaksOff;
    }

    StreamingResponse reply() {
      return new StreamingResponse(
          200,
          "text/plain",
          List.of(Map.entry("Trailer", "X-Parts")),
          this,
          () -> repliesOver.complete(null));
    }

    @Override
    public void onStart(Sink by) {
      assertThat(begun).isFalse();
      begun = true;
      taker = by;
      onWritable();
    }

    @Override
    public void onWritable() {
      Sink to = Objects.requireNonNull(taker, "got no taker (expected: begun)");
      while (to.isWritable() && written.get() < count) {
        byte[] part = new byte[PART];
        Arrays.fill(part, (byte) ('a' + written.getAndIncrement() % 26));
        ByteBuffer first = ByteBuffer.wrap(part, 0, 10);
        ByteBuffer second = ByteBuffer.wrap(part, 10, PART - 10);
        to.write(List.of(first, second), released::incrementAndGet);
      }
      if (written.get() < count) {
        return;
      }
      if (breaksOff) {
        to.abort();
      } else {
        to.complete(List.of(Map.entry("X-Parts", Integer.toString(count))));
      }
    }

    @Override
    public void onClosed(boolean complete) {
      assertThat(over.complete(complete)).isTrue();
    }
  }

  private static HttpServerFixture.Setup answering(Parts parts) {
    return new HttpServerFixture.Setup().handler(exchange -> exchange.respond(parts.reply()));
  }

  private static String expected(int parts) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts; i++) {
      text.append(String.valueOf((char) ('a' + i % 26)).repeat(PART));
    }
    return text.toString();
  }

  @Test
  void sendsPartsAndTrailers() throws Exception {
    Parts parts = new Parts(3, false);
    try (HttpServerFixture rig = answering(parts).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      byte[] some = new byte[64 << 10];
      while (!all.toString(StandardCharsets.ISO_8859_1).endsWith("0\r\nX-Parts: 3\r\n\r\n")) {
        all.write(some, 0, wire.readSome(some));
      }

      String answer = all.toString(StandardCharsets.ISO_8859_1);
      assertThat(answer).startsWith("HTTP/1.1 200 OK\r\nTrailer: X-Parts\r\n");
      assertThat(answer).contains("transfer-encoding: chunked\r\n");
      assertThat(HttpServerFixture.await(parts.over)).isTrue();
      HttpServerFixture.await(parts.repliesOver);
      assertThat(parts.released).hasValue(3);
      assertThat(rig.log().status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void makesNoMoreThanTheClientTakes(HttpClient.Version version) throws Exception {
    Parts parts = new Parts(MANY, false);
    try (HttpServerFixture rig = answering(parts).start();
        HttpClient client = HttpClient.newBuilder().version(version).build()) {
      try {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.address.getPort())).build();
        HttpResponse<InputStream> answer =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        rig.awaitStandstill(parts.written);
        assertThat(parts.written.get()).isLessThan(MANY);
        assertThat(parts.written.get() - parts.released.get()).isLessThanOrEqualTo(8);

        for (int i = 0; i < MANY; i++) {
          byte[] part = answer.body().readNBytes(PART);
          assertThat(part).hasSize(PART);
          assertThat(part[0]).isEqualTo((byte) ('a' + i % 26)).isEqualTo(part[PART - 1]);
        }
        assertThat(answer.body().read()).isEqualTo(-1);
        assertThat(HttpServerFixture.await(parts.over)).isTrue();
        assertThat(parts.released).hasValue(MANY);
      } finally {
        client.shutdownNow(); // otherwise close() would wait for unread data
      }
    }
  }

  @Test
  void compressTheBody() throws Exception {
    Parts parts = new Parts(30, false);
    try (HttpServerFixture rig = answering(parts).start();
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.address.getPort()))
              .header("Accept-Encoding", "gzip")
              .build();
      HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      assertThat(answer.headers().firstValue("content-encoding")).contains("gzip");
      try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
            .isEqualTo(expected(30));
      }
    }
  }

  @Test
  void signalAnIncompleteBodyToTheClient() throws Exception {
    Parts parts = new Parts(3, true);
    try (HttpServerFixture rig = answering(parts).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));

      assertThatThrownBy(wire::read).isInstanceOf(EOFException.class);
      assertThat(HttpServerFixture.await(parts.over)).isFalse();
      assertThat(parts.released).hasValue(3);
    }
  }

  @Test
  void resetOnlyTheStreamOverHttp2() throws Exception {
    Parts parts = new Parts(2, true);
    Parts whole = new Parts(2, false);
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange ->
                exchange.respond((exchange.uri().equals("/broken") ? parts : whole).reply()));
    try (HttpServerFixture rig = setup.start();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      URI base = URI.create("http://127.0.0.1:" + rig.address.getPort() + "/");
      HttpRequest good = HttpRequest.newBuilder(base).build();
      HttpRequest broken = HttpRequest.newBuilder(base.resolve("broken")).build();
      HttpResponse<String> first = client.send(good, HttpResponse.BodyHandlers.ofString());
      assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(first.body()).isEqualTo(expected(2));

      assertThatThrownBy(() -> client.send(broken, HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
      assertThat(HttpServerFixture.await(parts.over)).isFalse();
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @Test
  void givesAllBackWhenTheClientGoes() throws Exception {
    Parts parts = new Parts(MANY, false);
    try (HttpServerFixture rig = answering(parts).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      rig.awaitStandstill(parts.written);
      wire.reset();

      assertThat(HttpServerFixture.await(parts.over)).isFalse();
      HttpServerFixture.await(parts.repliesOver);
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(parts.released.get()).isEqualTo((int) parts.written.get());
    }
  }

  /** The source may use what it answers with until it is closed. */
  @Test
  void closesTheSourceOfAnAnswerThatCannotBeSentBeforeItsRelease() throws Exception {
    BlockingQueue<String> order = new LinkedBlockingQueue<>();
    BodySource source =
        new BodySource() {
          @Override
          public void onStart(Sink by) {
            order.add("started");
          }

          @Override
          public void onWritable() {
            order.add("writable");
          }

          @Override
          public void onClosed(boolean complete) {
            order.add("closed");
          }
        };
    List<Map.Entry<String, String>> headers = List.of(Map.entry("X-Broken", "two\nlines"));
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange ->
                exchange.respond(
                    new StreamingResponse(
                        200, "text/plain", headers, source, () -> order.add("released"))));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().status()).isEqualTo(500);
      for (String step : List.of("closed", "released")) {
        assertThat(order.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(step);
      }
    }
    assertThat(order).isEmpty();
  }

  @Test
  void waitsForItsTurn() throws Exception {
    Parts parts = new Parts(1, false);
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/1") + RawHttpConnection.get("/2"));
      HttpExchange first = rig.take();
      HttpExchange second = rig.take();
      CompletableFuture<Boolean> begun = new CompletableFuture<>();
      HttpServerFixture.onHome(
          second,
          () -> {
            second.respond(parts.reply());
            begun.complete(parts.begun);
          });
      assertThat(HttpServerFixture.await(begun)).isFalse();
      HttpServerFixture.onHome(first, () -> first.respond(HttpServerFixture.reply(200, "one")));

      assertThat(wire.read().text()).isEqualTo("one");
      assertThat(HttpServerFixture.await(parts.over)).isTrue();
    }
  }
}
