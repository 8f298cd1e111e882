package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyDiff;
import dev.weir.config.policy.PolicyTree;
import dev.weir.config.policy.TracesPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TracesPolicyTest {
  private static LoadResult parse(String traces) {
    return new PolicyLoader(Map.of("TOKEN", "Bearer secret"))
        .parse(
            "weir.yaml",
            "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\nobservability: {traces: {"
                + traces
                + "}}\n");
  }

  private static GatewayPolicy policy(String traces) {
    return switch (parse(traces)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  private static String refusal(String traces) {
    return switch (parse(traces)) {
      case LoadResult.Loaded _ -> throw new AssertionError("got a policy (expected: a refusal)");
      case LoadResult.Invalid refused -> refused.render();
    };
  }

  @Test
  void disableTracesByDefault() {
    TracesPolicy traces = policy("").observability().traces();
    assertThat(traces.enabled()).isFalse();
    assertThat(traces.parentBasedSampling()).isTrue();
    assertThat(traces.samplePercent()).isEqualTo(10);
  }

  @Test
  void readsWhereSpansGo() {
    TracesPolicy traces =
        policy(
                "enabled: true, endpoint: \"https://otel.example.org/v1/traces\","
                    + " service-name: edge, sample-percent: 0.5, export-timeout: 2s,"
                    + " headers: {Authorization: \"${TOKEN}\"}")
            .observability()
            .traces();
    assertThat(traces.endpoint()).isEqualTo("https://otel.example.org/v1/traces");
    assertThat(traces.serviceName()).isEqualTo("edge");
    assertThat(traces.samplePercent()).isEqualTo(0.5);
    assertThat(traces.exportTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(traces.headers()).containsExactly(Map.entry("Authorization", "Bearer secret"));
  }

  @Test
  void rejectInvalidHeaders() {
    assertThat(refusal("endpoint: \"127.0.0.1:4318\""))
        .contains("got '127.0.0.1:4318' (expected: a URL such as http");
    assertThat(refusal("endpoint: \"grpc://h:4317\"")).contains("expected: a URL");
    assertThat(refusal("endpoint: \"http://\"")).contains("expected: a URL");
    assertThat(refusal("endpoint: \"http://a b/\"")).contains("expected: a URL");
    assertThat(refusal("service-name: \" \"")).contains("got none (expected: a name)");
    assertThat(refusal("headers: {\"a b\": c}")).contains("got a name that can't be sent");
    assertThat(refusal("headers: {Host: c}")).contains("got a name that can't be sent");
    assertThat(refusal("headers: {X-Key: \"se\\ncret\"}"))
        .contains("got a value that can't be sent")
        .doesNotContain("(expected: one line of ASCII characters): se");
    assertThat(refusal("sample-percent: 101")).contains("expected: 0 to 100");
  }

  @Test
  void headersAreShownNowhere() {
    GatewayPolicy one = policy("headers: {Authorization: \"${TOKEN}\"}");
    GatewayPolicy other = policy("headers: {Authorization: another}");
    assertThat(PolicyTree.toMap(one).toString()).doesNotContain("Bearer");
    assertThat(PolicyDiff.compare(one, other, List.of()).toString())
        .contains("observability.traces.headers.Authorization")
        .doesNotContain("Bearer", "another");
  }

  @Test
  void howManyAreRecordedChangesWhileRunning() {
    GatewayPolicy running = policy("sample-percent: 1");
    GatewayPolicy next = policy("sample-percent: 2, parent-based-sampling: false, enabled: true");
    TracesPolicy traces = PolicyDiff.applyReload(running, next).observability().traces();
    assertThat(traces.samplePercent()).isEqualTo(2);
    assertThat(traces.parentBasedSampling()).isFalse();
    assertThat(traces.enabled()).isFalse();
  }
}
