package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Reads that the gateway coordinates for the first cluster, and that a node of the other cluster
 * answers.
 */
final class CoordinatedShadowReadTest {
  private final ShadowServiceFixture shadow = new ShadowServiceFixture();

  @AfterEach
  void close() throws InterruptedException {
    shadow.close();
  }

  @Test
  void passThroughWhereOtherClusterNeedsIt() throws InterruptedException {
    for (boolean passThrough : new boolean[] {true, false}) {
      coordinated(shadow.policy(passThrough), "/logs/_count");
      shadow.run();
      shadow.coordinated.getLast().passThrough("security");
      shadow.run();
    }
    assertThat(shadow.sent).hasSize(1);
    assertThat(shadow.sent.getFirst().request.headers())
        .containsExactly(ShadowServiceFixture.CREDENTIALS);
    shadow.sent.getFirst().answer(200, ShadowServiceFixture.COUNT.formatted(7));
    assertThat(shadow.verdicts()).containsExactly("count same 1", "count not-comparable 1");
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(1);
    shadow.hasNodes = false;
    coordinated(shadow.policy(true), "/logs/_count");
    shadow.run();
    shadow.coordinated.getLast().passThrough("security");
    shadow.run();
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(2);
  }

  /** A node would give another response. */
  @Test
  void keepGatewayFormatsFromNodes() {
    coordinated(shadow.policy(true), "/logs/_search?columnar=true");
    coordinated(shadow.policy(true), "/logs/_search", List.of(Map.entry("X-Weir-Trimmed", "lean")));
    shadow.run();
    assertThat(shadow.coordinated).hasSize(2);
    shadow.coordinated.forEach(exchange -> exchange.passThrough("security"));
    shadow.run();
    assertThat(shadow.sent).isEmpty();
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(2);
  }

  @Test
  void accountForShorterTranslatedBody() {
    shadow.target = "renaming";
    List<HttpExchange> primary = new ArrayList<>();
    TestExchange client = TestExchange.of("POST", "/_mget").body("a-long-name ".repeat(80));
    new ShadowReadFilter(new ReadSource("blue", ""), shadow.policy(false), shadow.service)
        .filter(client, primary::add);
    assertThat(shadow.service.heldBytes()).isBetween(1L, 500L);
    primary.getFirst().drop();
    assertThat(shadow.service.heldBytes()).isZero();
  }

  @Test
  void accountForTheArrayOfATranslatedBody() {
    ShadowTarget growing =
        new ShadowTarget() {
          @Override
          public String cluster() {
            return "green";
          }

          @Override
          public RequestHandler handler() {
            return shadow.coordinated::add;
          }

          @Override
          public ByteBuffer translateBody(
              String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
            return ByteBuffer.allocate(2000).limit(10).slice();
          }
        };
    RequestCopy copy =
        Objects.requireNonNull(
            shadow.service.copyRequest(TestExchange.of("GET", "/logs/_count"), growing));
    assertThat(shadow.service.heldBytes()).isBetween(2000L, 2500L);
    shadow.service.copies().release(copy);
    assertThat(shadow.service.heldBytes()).isZero();
  }

  /** It is counted when the copy fails, and not again when the first cluster answers. */
  @Test
  void countOnceAReadThatCanNotBeCopied() throws InterruptedException {
    shadow.target = "renaming";
    List<HttpExchange> primary = new ArrayList<>();
    TestExchange client = TestExchange.of("POST", "/_mget").body("*");
    new ShadowReadFilter(new ReadSource("blue", ""), shadow.policy(false), shadow.service)
        .filter(client, primary::add);
    primary.getFirst().passThrough("security");
    assertThat(shadow.skipped(ShadowSkipReason.UNTRANSLATABLE)).isOne();
    assertThat(shadow.verdicts()).isEmpty();
  }

  private void coordinated(ShadowPolicy policy, String uri) {
    coordinated(policy, uri, List.of());
  }

  private void coordinated(
      ShadowPolicy policy, String uri, List<Map.Entry<String, String>> headers) {
    List<HttpExchange> primary = new ArrayList<>();
    TestExchange client =
        TestExchange.of("GET", uri)
            .header(
                ShadowServiceFixture.CREDENTIALS.getKey(),
                ShadowServiceFixture.CREDENTIALS.getValue());
    new ShadowReadFilter(new ReadSource("blue", "logs"), policy, shadow.service)
        .filter(client, primary::add);
    primary
        .getFirst()
        .respond(
            new BufferedResponse(
                200,
                "application/json",
                headers,
                List.of(ByteBuffer.wrap(ShadowServiceFixture.COUNT.formatted(7).getBytes(UTF_8))),
                () -> {}));
    client.readToEnd();
  }

  @Test
  void countDefectOfOneReadAlone() {
    ShadowTarget.PassThroughSender broken =
        (request, answer) -> {
          throw new IllegalStateException("a defect");
        };
    ShadowTarget failing =
        new ShadowTarget() {
          @Override
          public String cluster() {
            return "green";
          }

          @Override
          public RequestHandler handler() {
            return exchange -> exchange.passThrough("security");
          }

          @Override
          public ShadowTarget.PassThroughSender passThroughSender() {
            return broken;
          }
        };
    for (SelectedRead.Responder by :
        List.of(SelectedRead.Responder.NODE, SelectedRead.Responder.EITHER)) {
      shadow.service.onResponse(
          new SelectedRead(
              ReadKind.COUNT,
              shadow.policy(true),
              new ReadSource("blue", ""),
              new SelectedRead.Route(failing, "/logs/_count"),
              by),
          Objects.requireNonNull(
              shadow.service.copyRequest(TestExchange.of("GET", "/logs/_count"), failing)),
          new CapturedResponse(200, "application/json", new byte[0], 1));
      shadow.run();
    }
    assertThat(shadow.skipped(ShadowSkipReason.INTERNAL_ERROR)).isEqualTo(2);
  }

  @Test
  void leaveReadThatPassesThroughLater() {
    List<HttpExchange> primary = new ArrayList<>();
    TestExchange client = TestExchange.of("GET", "/logs/_count").body("{}");
    new ShadowReadFilter(new ReadSource("blue", ""), shadow.policy(true), shadow.service)
        .filter(client, primary::add);
    assertThat(shadow.service.heldBytes()).isPositive();
    primary.getFirst().passThrough("search-pipeline");
    assertThat(client.events()).containsExactly("through search-pipeline");
    assertThat(shadow.service.heldBytes()).isZero();
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isZero();
  }
}
