package dev.weir.core.actions;

import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.NoShardAvailableActionException;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.shard.SingleShardRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.core.common.logging.LoggerMessageFormat;
import org.opensearch.core.index.Index;

/** Checks that get and multi-get share, from OpenSearch's {@code TransportSingleShardAction}. */
final class DocumentReadChecks {
  private DocumentReadChecks() {}

  /** Throws the block, if there is one. */
  static void checkBlock(@Nullable ClusterBlockException block) {
    if (block != null) {
      throw block;
    }
  }

  /** Passes system indices through to a node, which warns about the access. */
  static void requireNonSystemIndex(ClusterState state, Index index) {
    if (state.metadata().getIndexSafe(index).isSystem()) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
  }

  /** The client's error when all copies failed. */
  static Exception allCopiesFailed(SingleShardRequest<?> request, @Nullable Exception last) {
    if (last == null || TransportActions.isShardNotAvailableException(last)) {
      return new NoShardAvailableActionException(
          null, LoggerMessageFormat.format("No shard available for [{}]", request), last);
    }
    return last;
  }
}
