package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;

/**
 * Views that change when the test says so; each refresh returns the next one, then the last one
 * again.
 */
public final class ScriptedViews implements ClusterViewSource {
  private final Deque<ClusterView> coming = new ArrayDeque<>();
  private ClusterView current = view(1);
  public int refreshes;

  public static ClusterView view(long version) {
    return new ClusterView(
        ClusterState.builder(new ClusterName("test"))
            .version(version)
            .stateUUID("uuid-" + version)
            .build(),
        Map.of(),
        0,
        false);
  }

  /** Sets the version that the next refresh finds. */
  public void comes(long version) {
    coming.add(view(version));
  }

  @Override
  public ClusterView current() {
    return current;
  }

  @Override
  public CompletionStage<ClusterView> refresh(ClusterView stale) {
    refreshes++;
    if (!coming.isEmpty()) {
      current = coming.remove();
    }
    return CompletableFuture.completedFuture(current);
  }
}
