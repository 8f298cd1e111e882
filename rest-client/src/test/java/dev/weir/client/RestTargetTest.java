package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RestTargetTest {
  private static final RestConnections.Limits SMALL =
      new RestConnections.Limits(Duration.ofSeconds(30), Duration.ofSeconds(60), 1000);

  private RestEndpointFixture endpoint;
  private RestConnections connections;

  @BeforeEach
  void start() throws IOException {
    endpoint = new RestEndpointFixture(null);
    connections = new RestConnections(null, SMALL);
  }

  @AfterEach
  void stop() {
    connections.close();
    endpoint.close();
  }

  private RestTarget target(String path, Map<String, String> headers) {
    return new RestTarget(connections, URI.create(endpoint.uri() + path), headers);
  }

  private static String text(RestTarget target, String path) throws Exception {
    try (InputStream body = target.get(path)) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void sendRequestsWithAndWithoutABody() throws Exception {
    RestTarget target = target("", Map.of());
    assertThat(target.send("PUT", "/echo?a=b", "{\"k\":\"\u00e4\"}"))
        .isEqualTo(
            new RestTarget.Response(200, "PUT /echo?a=b application/json {\"k\":\"\u00e4\"}"));
    assertThat(target.send("DELETE", "/echo", null).body()).isEqualTo("DELETE /echo null ");
    assertThat(text(target, "/echo?x=1")).isEqualTo("GET /echo?x=1 null ");
    assertThat(target.send("POST", "/none", null).isSuccess()).isFalse();
  }

  @Test
  void keepThePathOfTheAddress() throws Exception {
    assertThat(text(target("/echo/", Map.of()), "/x")).isEqualTo("GET /echo/x null ");
    assertThat(text(target("/", Map.of()), "/echo")).isEqualTo("GET /echo null ");
  }

  @Test
  void refuseAddressesThatAreNotOfHttp() {
    for (String address :
        new String[] {"localhost:9200", "ftp://localhost", "/path", "http:///x"}) {
      assertThatThrownBy(() -> new RestTarget(connections, URI.create(address), Map.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "got the address " + address + " (expected: one such as http://localhost:9200)");
    }
  }

  @Test
  void refuseResponsesThatAreTooLarge() throws Exception {
    RestTarget target = target("", Map.of());
    assertThat(target.send("GET", "/letters/1000", null).body()).hasSize(1000);
    assertThat(text(target, "/letters/1000")).hasSize(1000);
    for (ThrowingCallable read :
        new ThrowingCallable[] {
          () -> target.send("GET", "/letters/1001", null), () -> text(target, "/letters/1001")
        }) {
      assertThatThrownBy(read)
          .isInstanceOf(OversizedResponseException.class)
          .hasMessage("got a response of more than 1000 bytes");
    }
  }

  @Test
  void giveUpWaitingForARestOfABody() {
    assertThat(failureWithinABody(target -> target.send("GET", "/stall", null)))
        .isInstanceOf(HttpTimeoutException.class);
    assertThat(failureWithinABody(target -> text(target, "/stall")))
        .isInstanceOf(HttpTimeoutException.class);
    assertThat(
            failureWithinABody(target -> {
              try (InputStream body = target.get("/stall")) {
                JsonReader.read(body);
              }
            }))
        .isInstanceOf(HttpTimeoutException.class);
  }

  private interface Read {
    void from(RestTarget target) throws Exception;
  }

  /** Gives the head of the response more time until it arrives within it. */
  private Throwable failureWithinABody(Read read) {
    for (Duration timeout = Duration.ofMillis(250); ; timeout = timeout.multipliedBy(2)) {
      RestConnections.Limits limits =
          new RestConnections.Limits(Duration.ofSeconds(30), timeout, 1000);
      try (RestConnections impatient = new RestConnections(null, limits)) {
        RestTarget target = new RestTarget(impatient, endpoint.uri(), Map.of());
        Throwable failure = catchThrowable(() -> read.from(target));
        assertThat(failure).isInstanceOf(IOException.class);
        if (String.valueOf(failure.getMessage()).startsWith("no whole response after ")) {
          return failure;
        }
      }
    }
  }

  @Test
  void stopWhenInterruptedWithinABody() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    RestTarget target = target("", Map.of());
    Thread reader =
        Thread.ofVirtual()
            .start(
                () -> failure.complete(catchThrowable(() -> target.send("GET", "/stall", null))));
    endpoint.stalled.await();
    reader.interrupt();
    assertThat(failure.get()).isInstanceOf(InterruptedException.class);
  }

  @Test
  void nameAnAddressThatDoesNotAnswer() {
    RestTarget target = target("", Map.of());
    endpoint.close();
    assertThatThrownBy(() -> target.get("/echo"))
        .isInstanceOf(UnreachableException.class)
        .hasMessageStartingWith("no answer from " + target.base() + ": ");
    assertThatThrownBy(() -> target.send("GET", "/echo", null)).isInstanceOf(IOException.class);
  }

  @Test
  void tellASlowPathFromAnAddressThatDoesNotAnswer() {
    RestConnections.Limits limits =
        new RestConnections.Limits(Duration.ofSeconds(30), Duration.ofMillis(250), 1000);
    try (RestConnections impatient = new RestConnections(null, limits)) {
      RestTarget target = new RestTarget(impatient, endpoint.uri(), Map.of());
      assertThatThrownBy(() -> target.get("/silence")).isInstanceOf(HttpTimeoutException.class);
    }
  }

  @Test
  void sayThatCredentialsAreMissing() throws Exception {
    RestTarget nobody = target("", Map.of());
    assertThatThrownBy(() -> nobody.get("/user"))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "got status 401 (expected: 200; give the name and password of a user")
        .hasMessageContaining("its token): Unauthorized!")
        .hasMessageEndingWith("!...");
    RestTarget.Response rejected = nobody.send("GET", "/user", null);
    assertThat(rejected.isSuccess()).isFalse();
    assertThat(rejected.problem()).startsWith("got status 401").hasSizeLessThan(700);
    assertThat(new RestTarget.Response(503, " ").problem())
        .isEqualTo("got status 503 (expected: 200)");
    RestTarget user = target("", AuthorizationHeader.basic("u", "p"));
    assertThat(text(user, "/user")).isEqualTo("{}");
  }

  @Test
  void keepCredentialsOutOfTexts() {
    assertThat(target("", AuthorizationHeader.bearer("secret")).toString())
        .isEqualTo("RestTarget[base=" + endpoint.uri() + "]");
    assertThat(AuthorizationHeader.bearer("secret")).containsValue("Bearer secret");
    assertThat(AuthorizationHeader.bearer("")).isEmpty();
    assertThat(AuthorizationHeader.basic("", "p")).isEmpty();
  }
}
