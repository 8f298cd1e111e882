package dev.weir.gateway.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ClusterPolicy.Authorization;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterAuthorizationTest {
  private final List<String> changes = new ArrayList<>();

  private ClusterAuthorization authorization(Authorization configured) {
    ClusterAuthorization authorization = ClusterAuthorization.of("main", configured);
    authorization.addListener(
        (before, now) -> changes.add(before.mode().label() + " > " + now.mode().label()));
    return authorization;
  }

  @Test
  void delegateUntilSomethingWasDetected() {
    ClusterAuthorization authorization = authorization(Authorization.DETECT);
    assertThat(authorization.mode()).isEqualTo(AuthorizationMode.DELEGATE);
    assertThat(authorization.state().isConfigured()).isFalse();
  }

  @Test
  void notifyAboutEachChangeOnce() {
    ClusterAuthorization authorization = authorization(Authorization.DETECT);
    authorization.update(AuthorizationMode.NONE, "no node asks for credentials");
    authorization.update(AuthorizationMode.NONE, "no node asks for credentials");
    authorization.update(AuthorizationMode.DELEGATE, "node a answered 401");
    assertThat(changes).containsExactly("delegate > none", "none > delegate");
    assertThat(authorization.state().reason()).isEqualTo("node a answered 401");
  }

  @ParameterizedTest
  @EnumSource(value = Authorization.class, mode = EnumSource.Mode.EXCLUDE, names = "DETECT")
  void keepAConfiguredMode(Authorization configured) {
    ClusterAuthorization authorization = authorization(configured);
    authorization.update(AuthorizationMode.NONE, "no node asks for credentials");
    assertThat(authorization.mode().name()).isEqualTo(configured.name());
    assertThat(authorization.state().isConfigured()).isTrue();
    assertThat(authorization.state().reason())
        .isEqualTo("configured by clusters.main.authorization");
    assertThat(changes).isEmpty();
  }
}
