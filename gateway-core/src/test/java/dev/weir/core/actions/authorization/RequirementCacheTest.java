package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;

class RequirementCacheTest {
  private static final int MAX_BYTES = 64 << 10;

  private final RequirementCache cache = new RequirementCache(MAX_BYTES);
  private final ClusterView view = AuthorizationFilterFixture.view("logs-1");

  private static RequirementCache.@Nullable Key keyOf(String name) {
    return RequirementCache.Key.of(
        new SearchRequest(name), AuthorizationFilterFixture.USUAL_INDICES);
  }

  private static RequirementCache.Key key(String name) {
    return Objects.requireNonNull(keyOf(name));
  }

  private static RequirementCache.Resolved resolved(String name) {
    return new RequirementCache.Resolved(
        new SearchPermissions.Requirement(
            Set.of(name), List.of(PermissionCheck.ofSearch(Set.of(name)))),
        false);
  }

  @Test
  void boundItsMemory() {
    for (int i = 0; i < 10_000; i++) {
      cache.put(view, key("logs-" + i), resolved("logs-" + i));
    }
    assertThat(cache.size()).isBetween(1L, MAX_BYTES / 512L);
  }

  /** Names that are used stay, however many others come. */
  @Test
  void keepWhatIsUsed() {
    for (int i = 0; i < 10_000; i++) {
      cache.put(view, key("logs-" + i), resolved("logs-" + i));
      if (cache.get(view, key("often")) == null) {
        cache.put(view, key("often"), resolved("often"));
      }
    }
    assertThat(cache.get(view, key("often"))).isNotNull();
  }

  @Test
  void forgetEverythingWithTheNextView() {
    cache.put(view, key("logs-1"), resolved("logs-1"));
    assertThat(cache.get(view, key("logs-1"))).isNotNull();
    ClusterView next = AuthorizationFilterFixture.view("logs-1");
    assertThat(cache.get(next, key("logs-1"))).isNull();
    cache.put(next, key("logs-2"), resolved("logs-2"));
    assertThat(cache.get(next, key("logs-1"))).isNull();
  }

  @Test
  void keepNoNamesThatDependOnTheTime() {
    assertThat(keyOf("<logs-{now/d}>")).isNull();
    assertThat(keyOf("x".repeat(300))).isNull();
  }
}
