package dev.weir.config.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PolicyTreeTest {
  /** A section with the same structure as the configuration's. */
  public record Sample(
      @ConfigKey(doc = "") HostPort listen,
      @ConfigKey(doc = "") Duration idleTimeout,
      @ConfigKey(doc = "", secret = true) String password,
      @ConfigKey(doc = "") List<ByteSize> sizes,
      RoutingPolicy.C3 c3) {}

  @Test
  void showsKeysAsInYamlAndNoSecret() {
    Map<String, Object> tree =
        PolicyTree.toMap(
            new Sample(
                new HostPort("::1", 9200),
                Duration.ofMinutes(2),
                "hunter2",
                List.of(new ByteSize(100L << 20), new ByteSize(1500)),
                new RoutingPolicy.C3(1, 0.3, 3, Duration.ofMillis(1500))));
    assertThat(tree)
        .containsEntry("listen", "[::1]:9200")
        .containsEntry("idle-timeout", "2m")
        .containsEntry("password", "<redacted>")
        .containsEntry("sizes", List.of("100mb", "1500b"));
    assertThat(String.valueOf(tree.get("c3")))
        .contains("queue-decay-time=1500ms")
        .contains("alpha=0.3");
  }
}
