package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecurityPluginDetectorTest {
  private final SecurityPluginDetector secured = new SecurityPluginDetector();

  @Test
  void seesThePluginByItsIndex() {
    ClusterView plain = ClusterStates.ofNodes(1).index("i", 1, 0).view();
    ClusterView with = ClusterStates.ofNodes(1).index(".opendistro_security", 1, 0).view();

    secured.onChange(ClusterView.empty(0), plain);
    assertThat(secured.getAsBoolean()).isFalse();
    secured.onChange(plain, with);
    assertThat(secured.getAsBoolean()).isTrue();
  }
}
