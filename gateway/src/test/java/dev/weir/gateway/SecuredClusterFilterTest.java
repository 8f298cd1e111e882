package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SecuredClusterFilterTest {
  private final AtomicBoolean secured = new AtomicBoolean();

  private Decision routed(Decision way) {
    return new SecuredClusterFilter(secured::get).filter("GET", "/", way);
  }

  @Test
  void coordinateOnAnUnsecuredCluster() {
    assertThat(routed(new Coordinate("search"))).isEqualTo(new Coordinate("search"));
    assertThat(routed(new RespondLocally("nodes_info")))
        .isEqualTo(new RespondLocally("nodes_info"));
  }

  @Test
  void passEverythingThroughToASecuredCluster() {
    secured.set(true);

    assertThat(routed(new Coordinate("search"))).isEqualTo(new PassThrough("security"));
    assertThat(routed(new RespondLocally("nodes_info"))).isEqualTo(new PassThrough("security"));
    assertThat(routed(new PassThrough("other"))).isEqualTo(new PassThrough("other"));
  }
}
