package dev.weir.cluster;

import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeFailure;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Hears of metadata changes (indices, aliases, mappings, settings) as they happen: one request
 * waits at a node until the metadata is newer than the newest view's. Routing changes do not show
 * here; {@link Watch} sees those. Runs on a virtual thread of its own.
 */
final class MetadataWatch {
  private static final Duration AT_THE_NODE = Duration.ofSeconds(30);
  private static final Duration CATCHING_UP = Duration.ofSeconds(2);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final StateReader reader;
  private final Candidates candidates;
  private final Views views;
  private final Consumer<NodeClient> newer;

  /**
   * Makes one.
   *
   * @param newer hears of a node that has newer metadata
   */
  MetadataWatch(
      StateReader reader, Candidates candidates, Views views, Consumer<NodeClient> newer) {
    this.reader = reader;
    this.candidates = candidates;
    this.views = views;
    this.newer = newer;
  }

  /** Watches until interrupted. */
  void run() throws InterruptedException {
    while (true) {
      ClusterView view = views.newest();
      long version = view.state().metadata().version();
      List<NodeClient> nodes = candidates.inTurn(view);
      if (nodes.isEmpty()) {
        views.awaitMetadataBeyond(version, AFTER_FAILURE);
        continue;
      }
      NodeClient node = nodes.getFirst();
      try {
        if (reader.awaitMetadata(node, version + 1, AT_THE_NODE)) {
          newer.accept(node);
          views.awaitMetadataBeyond(version, CATCHING_UP);
        }
      } catch (NodeFailure lost) {
        candidates.distrust(node);
        views.awaitMetadataBeyond(version, AFTER_FAILURE);
      }
    }
  }
}
