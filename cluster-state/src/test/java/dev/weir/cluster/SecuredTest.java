package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecuredTest {
  private final Secured secured = new Secured();

  @Test
  void seesThePluginByItsIndex() {
    ClusterView plain = States.ofNodes(1).index("i", 1, 0).view();
    ClusterView with = States.ofNodes(1).index(".opendistro_security", 1, 0).view();

    secured.changed(ClusterView.empty(0), plain);
    assertThat(secured.getAsBoolean()).isFalse();
    secured.changed(plain, with);
    assertThat(secured.getAsBoolean()).isTrue();
  }
}
