package dev.weir.core.actions.ceiling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.NodeCeilingPolicy;
import org.junit.jupiter.api.Test;

final class NodeCeilingsTest {
  @Test
  void writeTheLimitsThatAreSet() {
    assertThat(header(0, 0)).isEmpty();
    assertThat(header(64, 0)).isEqualTo("bytes=64");
    assertThat(header(0, 7)).isEqualTo("buckets=7");
    assertThat(header(64, 7)).isEqualTo("bytes=64,buckets=7");
  }

  private static String header(long bytes, int buckets) {
    return NodeCeilings.header(new NodeCeilingPolicy(new ByteSize(bytes), buckets));
  }
}
