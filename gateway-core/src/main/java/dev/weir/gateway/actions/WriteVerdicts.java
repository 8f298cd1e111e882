package dev.weir.gateway.actions;

import org.opensearch.ExceptionsHelper;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.shard.ShardNotFoundException;
import org.opensearch.node.NodeClosedException;
import org.opensearch.transport.ConnectTransportException;

/** What nodes' error answers to writes mean. */
final class WriteVerdicts {
  private WriteVerdicts() {}

  /** Whether the node is closing, or lost the node it had handed the write to. */
  static boolean isNodeGone(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof ConnectTransportException || cause instanceof NodeClosedException;
  }

  /** Whether the node knows no such index or shard. */
  static boolean isUnknownShard(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof IndexNotFoundException || cause instanceof ShardNotFoundException;
  }
}
