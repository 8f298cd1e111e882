package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Waits for metadata changes (indices, aliases, mappings, settings) as they happen: one request
 * waits at a node until its metadata is newer than the newest view's. It does not see routing
 * changes; {@link ClusterStateWatcher} does. Runs on a virtual thread of its own.
 */
final class MetadataWatcher {
  private static final Duration NODE_WAIT = Duration.ofSeconds(30);
  private static final Duration VIEW_WAIT = Duration.ofSeconds(2);
  private static final Duration FAILURE_PAUSE = Duration.ofSeconds(1);

  private final ClusterStateReader reader;
  private final PollNodeSelector candidates;
  private final ClusterViewStore views;
  private final Consumer<NodeClient> onNewerState;
  private final ClusterStateDiffFollower diffs;

  /**
   * Creates a watcher.
   *
   * @param newer receives a node that has newer metadata
   * @param diffs replaces it while it is live
   */
  MetadataWatcher(
      ClusterStateReader reader,
      PollNodeSelector candidates,
      ClusterViewStore views,
      Consumer<NodeClient> newer,
      ClusterStateDiffFollower diffs) {
    this.reader = reader;
    this.candidates = candidates;
    this.views = views;
    this.onNewerState = newer;
    this.diffs = diffs;
  }

  /** Watches until interrupted. */
  void run() throws InterruptedException {
    while (true) {
      ClusterView view = views.newest();
      long version = view.state().metadata().version();
      List<NodeClient> nodes = diffs.isLive() ? List.of() : candidates.nextOrder(view);
      if (nodes.isEmpty()) {
        views.awaitMetadataBeyond(version, FAILURE_PAUSE);
        continue;
      }
      NodeClient node = nodes.getFirst();
      try {
        if (reader.awaitMetadata(node, version + 1, NODE_WAIT)) {
          onNewerState.accept(node);
          views.awaitMetadataBeyond(version, VIEW_WAIT);
        }
      } catch (NodeCallException lost) {
        candidates.deprioritize(node);
        views.awaitMetadataBeyond(version, FAILURE_PAUSE);
      }
    }
  }
}
