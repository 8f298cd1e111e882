package dev.weir.core.reduce;

import dev.weir.core.reduce.SearchWork.OpenContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.support.TransportActions;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.node.NodeClosedException;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;

/** What all rounds over the shards of a search have in common. */
abstract class SearchRound<R extends SearchPhaseResult> implements ShardRound<R> {
  private static final int TOO_MANY_REQUESTS = 429;

  private final String name;
  private final SearchParts parts;
  private final List<Integer> ordinals;
  private final ShardFailures failures;

  SearchRound(String name, SearchParts parts, List<Integer> ordinals, ShardFailures failures) {
    this.name = name;
    this.parts = parts;
    this.ordinals = ordinals;
    this.failures = failures;
  }

  @Override
  public String name() {
    return name;
  }

  /** The call for a shard's copy on a node, as a child of that caller. */
  abstract NodeCall<R> call(int shard, String nodeId, SearchCaller caller) throws Exception;

  @Override
  public NodeCall<R> call(int shard, String nodeId) throws Exception {
    return call(shard, nodeId, parts.caller().on(nodeId));
  }

  @Override
  public boolean repeatable() {
    return parts.anyCopyWillDo();
  }

  @Override
  public Repeatable<R> repeatable(int shard, String nodeId) throws Exception {
    SearchCaller own = parts.caller().apart().on(nodeId);
    OriginalIndices indices = parts.requests().shard(ordinal(shard)).indices();
    return new Repeatable<>(
        call(shard, nodeId, own),
        CancelTasks.of(own),
        new Left<>() {
          @Override
          public @Nullable OpenContext by(R reply) {
            return OpenContexts.left(own, nodeId, indices, reply);
          }

          @Override
          public @Nullable OpenContext by(NodeFailure failure) {
            return OpenContexts.left(own, indices, failure, contextStands());
          }
        });
  }

  /** Where what shards answer says which context they opened for it. */
  abstract OpenContexts.Stands contextStands();

  @Override
  public int queueSize(R reply) {
    return -1;
  }

  @Override
  public long serviceTimeNanos(R reply) {
    return -1;
  }

  @Override
  public void failed(int shard, String nodeId, Exception failure) {
    if (failure instanceof NodeFailure sending) {
      OriginalIndices indices = parts.requests().shard(ordinal(shard)).indices();
      parts.contexts().leftBy(sending, indices, contextStands());
    }
    parts.broken().sees(failure);
    failures.add(shard, target(shard, nodeId), unwrap(failure));
  }

  @Override
  public void unavailable(int shard) {}

  @Override
  public boolean passesOver(int shard, String nodeId, Exception failure) {
    return parts.broken().why() != null
        || WeightedCopies.passesOver(
            parts.scope().state(),
            parts.requests().shard(ordinal(shard)).id(),
            nodeId,
            unwrap(failure));
  }

  @Override
  public boolean stale(Exception failure) {
    return isStale(failure);
  }

  @Override
  public int failures() {
    return failures.count();
  }

  final SearchParts parts() {
    return parts;
  }

  final List<Integer> ordinals() {
    return ordinals;
  }

  final int ordinal(int shard) {
    return ordinals.get(shard);
  }

  final SearchShardTarget target(int shard, String nodeId) {
    return parts.requests().target(ordinal(shard), nodeId);
  }

  final void succeeded(int shard) {
    failures.clear(shard);
  }

  /** Marks the answer as that of a shard. */
  final void identify(int shard, String nodeId, SearchPhaseResult reply) {
    reply.setShardIndex(shard);
    reply.setSearchShardTarget(target(shard, nodeId));
  }

  /** Refuses a node that is not in the state, in the words of a node's coordinator. */
  final void checkNode(String nodeId) {
    if (!parts.scope().state().nodes().nodeExists(nodeId)) {
      throw new IllegalStateException("no node found for id: " + nodeId);
    }
  }

  /** Whether a newer view of the cluster might have avoided the failure. */
  static boolean isStale(Exception failure) {
    if (failure instanceof NodeFailure sending) {
      return switch (sending.kind()) {
        case NOT_SENT, CONNECTION_LOST -> true;
        case REMOTE -> TransportActions.isShardNotAvailableException(sending.exception());
        case TIMED_OUT, MALFORMED, OVER_BUDGET -> false;
      };
    }
    return false;
  }

  /** Whether the node is gone, or the context that it held for a search. */
  static boolean isGone(Exception failure) {
    if (failure instanceof NodeFailure sending) {
      return switch (sending.kind()) {
        case CONNECTION_LOST -> true;
        case NOT_SENT -> sending.status() != TOO_MANY_REQUESTS;
        case REMOTE -> isGoneThere(ExceptionsHelper.unwrapCause(sending.exception()));
        case TIMED_OUT, MALFORMED, OVER_BUDGET -> false;
      };
    }
    return false;
  }

  /** What a node says that came back without the context, or that is just stopping. */
  private static boolean isGoneThere(Throwable cause) {
    return cause instanceof SearchContextMissingException
        || cause instanceof NodeClosedException
        || (cause instanceof OpenSearchRejectedExecutionException rejected
            && rejected.isExecutorShutdown());
  }

  /** What a node's coordinator would have seen. */
  static Exception unwrap(Exception failure) {
    return failure instanceof NodeFailure sending ? sending.exception() : failure;
  }
}
