package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.rest.action.RestCancellableNodeClient;

/**
 * Every request of a client is answered, passed through or executed exactly once, and leaves
 * nothing behind.
 */
class RestDispatcherFuzz {
  private static final int REQUESTS = 2_000;
  private static final String PATH_BYTES = "/%_?&=,.*+:;<>aA0zé \"'{}#|";
  private static final String BODY_BYTES = "{}[]:,\"\\\n\t 0-1.eEntrufals\u0001é_";
  private static final List<String> TYPES =
      List.of(
          "application/json",
          "application/x-ndjson",
          "application/yaml",
          "application/cbor",
          "application/smile",
          "text/plain",
          ";",
          "");

  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  /** OpenSearch counts the channels of the whole JVM, so other tests may leave some. */
  private final int channelsBefore = RestCancellableNodeClient.getNumChannels();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void endsEveryRequestOnce(long seed) {
    Random random = new Random(seed);
    List<RecordedNodeResponse> corpus = RecordedNodeResponse.readAll();
    int coordinated = 0;
    for (int i = 0; i < REQUESTS; i++) {
      TestExchange exchange = mutated(corpus.get(random.nextInt(corpus.size())), random);
      if (open.dispatcher().routes().route(exchange.method(), exchange.uri())
          instanceof Coordinate) {
        coordinated++;
        finish(exchange, random);
        assertThat(open.dispatcher().runningActions()).isZero();
        assertThat(RestCancellableNodeClient.getNumChannels()).isEqualTo(channelsBefore);
      }
    }
    assertThat(coordinated).isGreaterThan(REQUESTS / 4);
    assertThat(open.threadContext().threadContext().getHeaders()).isEmpty();
    assertThat(open.threadContext().threadContext().getResponseHeaders()).isEmpty();
  }

  private void finish(TestExchange exchange, Random random) {
    open.again().send(exchange);
    if (open.executor().wasCalled()) {
      assertThat(exchange.isAnswered() || exchange.passedThrough() != null).isFalse();
      Call call = open.executor().only();
      if (random.nextBoolean()) {
        exchange.disconnect();
      }
      call.fail(new IndexNotFoundException("a"));
      exchange.runEventLoop();
    } else {
      assertThat(exchange.isAnswered()).isEqualTo(exchange.passedThrough() == null);
    }
    assertThat(exchange.passedThrough()).isNotEqualTo(PassThroughReasons.INTERNAL_ERROR);
    if (exchange.isAnswered()) {
      assertThat(exchange.reply().status()).isBetween(400, 599);
      exchange.readToEnd();
    }
  }

  private static TestExchange mutated(RecordedNodeResponse seed, Random random) {
    String uri = mutate(seed.uri(), PATH_BYTES, random, 1);
    TestExchange exchange = TestExchange.queued(seed.method(), uri.isEmpty() ? "/" : uri);
    seed.headers()
        .forEach(header ->
            exchange.header(header.getKey(), mutate(header.getValue(), PATH_BYTES, random, 1)));
    if (random.nextInt(4) == 0) {
      exchange.header("Content-Type", TYPES.get(random.nextInt(TYPES.size())));
    }
    byte[] body = mutate(seed.body(), BODY_BYTES, random, 3).getBytes(StandardCharsets.UTF_8);
    if (body.length > 0 && random.nextInt(5) == 0) {
      body = Arrays.copyOf(body, random.nextInt(body.length));
    }
    return exchange.body(ByteBuffer.wrap(body));
  }

  /** Changes up to {@code most} positions: inserts, removes or replaces a character. */
  private static String mutate(String text, String alphabet, Random random, int most) {
    StringBuilder changed = new StringBuilder(text);
    for (int n = random.nextInt(most + 1); n > 0; n--) {
      int at = random.nextInt(changed.length() + 1);
      char letter = alphabet.charAt(random.nextInt(alphabet.length()));
      switch (random.nextInt(3)) {
        case 0 -> changed.insert(at, letter);
        case 1 -> changed.delete(at, Math.min(changed.length(), at + 1));
        default -> changed.replace(at, Math.min(changed.length(), at + 1), letter + "");
      }
    }
    return changed.toString();
  }
}
