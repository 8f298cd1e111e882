package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.coordinate.ShardRound;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.HttpStatus;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
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
import org.opensearch.transport.ActionNotFoundTransportException;

/** The common part of all rounds over the shards of a search. */
public abstract class BaseShardRound<R extends SearchPhaseResult> implements ShardRound<R> {

  private final String name;
  private final SearchRoundContext parts;
  private final List<Integer> ordinals;
  private final ShardFailures failures;

  BaseShardRound(
      String name, SearchRoundContext parts, List<Integer> ordinals, ShardFailures failures) {
    this.name = name;
    this.parts = parts;
    this.ordinals = ordinals;
    this.failures = failures;
  }

  @Override
  public String name() {
    return name;
  }

  /** Creates the call to a shard's copy on a node, as a child task of the caller's task. */
  public abstract NodeCall<R> createCall(int shard, String nodeId, SearchCaller caller)
      throws Exception;

  @Override
  public NodeCall<R> createCall(int shard, String nodeId) throws Exception {
    return createCall(shard, nodeId, parts.caller().forNode(nodeId));
  }

  @Override
  public boolean isHedgeable() {
    return parts.canUseAnyCopy();
  }

  @Override
  public HedgeableCall<R> createHedgeableCall(int shard, String nodeId) throws Exception {
    boolean alone = isWorthCancelling();
    SearchCaller caller = (alone ? parts.caller().withOwnTask() : parts.caller()).forNode(nodeId);
    OriginalIndices indices = parts.shardRequests().scopeOf(ordinalOf(shard)).indices();
    return new HedgeableCall<>(
        createCall(shard, nodeId, caller),
        alone ? ParentTaskBan.forCaller(caller) : null,
        new OrphanedContextFinder<>() {
          @Override
          public @Nullable OpenContext find(R reply) {
            return SearchContextTracker.orphanedContext(caller, nodeId, indices, reply);
          }

          @Override
          public @Nullable OpenContext find(NodeCallException failure) {
            return SearchContextTracker.orphanedContext(
                caller, indices, failure, contextIdPosition());
          }
        });
  }

  /** Returns whether a single call is long enough that its node should stop when it has lost. */
  boolean isWorthCancelling() {
    return true;
  }

  /** Returns where a shard's response has the id of the search context that it opened. */
  abstract SearchContextTracker.ContextIdPosition contextIdPosition();

  @Override
  public int queueSize(R reply) {
    return -1;
  }

  @Override
  public long serviceTimeNanos(R reply) {
    return -1;
  }

  @Override
  public void onFailure(int shard, String nodeId, Exception failure) {
    if (failure instanceof NodeCallException sending) {
      OriginalIndices indices = parts.shardRequests().scopeOf(ordinalOf(shard)).indices();
      parts.contexts().discardAfterFailure(sending, indices, contextIdPosition());
    }
    parts.memoryRejections().inspect(failure);
    failures.add(shard, targetOf(shard, nodeId), unwrapRemote(failure));
  }

  @Override
  public void onUnavailable(int shard) {}

  @Override
  public boolean shouldSkipCopy(int shard, String nodeId, Exception failure) {
    return parts.memoryRejections().rejection() != null
        || (failure instanceof NodeCallException sending && sending.isOverRequestCeiling())
        || WeightedAwayCopies.shouldSkip(
            parts.scope().state(),
            parts.shardRequests().scopeOf(ordinalOf(shard)).id(),
            nodeId,
            unwrapRemote(failure));
  }

  @Override
  public boolean isStale(Exception failure) {
    return isStaleViewFailure(failure);
  }

  @Override
  public int failureCount() {
    return failures.count();
  }

  final SearchRoundContext parts() {
    return parts;
  }

  final List<Integer> ordinals() {
    return ordinals;
  }

  final int ordinalOf(int shard) {
    return ordinals.get(shard);
  }

  final SearchShardTarget targetOf(int shard, String nodeId) {
    return parts.shardRequests().targetOf(ordinalOf(shard), nodeId);
  }

  final void onSuccess(int shard) {
    failures.clear(shard);
  }

  /** Sets the shard that the response came from. */
  final void setShard(int shard, String nodeId, SearchPhaseResult reply) {
    reply.setShardIndex(shard);
    reply.setSearchShardTarget(targetOf(shard, nodeId));
  }

  /** Throws a node's own error if the node is missing from the cluster state. */
  final void checkNode(String nodeId) {
    if (!parts.scope().state().nodes().nodeExists(nodeId)) {
      throw new IllegalStateException("no node found for id: " + nodeId);
    }
  }

  /** Returns whether a stale cluster view may have caused the failure. */
  static boolean isStaleViewFailure(Exception failure) {
    if (failure instanceof NodeCallException sending) {
      return switch (sending.kind()) {
        case NOT_SENT, CONNECTION_LOST -> true;
        case REMOTE -> TransportActions.isShardNotAvailableException(sending.exception());
        case TIMED_OUT, MALFORMED, OVER_BUDGET -> false;
      };
    }
    return false;
  }

  /** Returns whether the node, or the search context that it held, is lost. */
  static boolean isContextLost(Exception failure) {
    if (failure instanceof NodeCallException sending) {
      return switch (sending.kind()) {
        case CONNECTION_LOST -> true;
        case NOT_SENT -> sending.status() != HttpStatus.TOO_MANY_REQUESTS;
        case REMOTE -> isContextLostOnNode(ExceptionsHelper.unwrapCause(sending.exception()));
        case TIMED_OUT, MALFORMED, OVER_BUDGET -> false;
      };
    }
    return false;
  }

  /**
   * Returns whether a node reports that it restarted without the context, or that it is stopping.
   */
  private static boolean isContextLostOnNode(Throwable cause) {
    return cause instanceof SearchContextMissingException
        || cause instanceof ActionNotFoundTransportException // restarted without the plugin
        || cause instanceof NodeClosedException
        || (cause instanceof OpenSearchRejectedExecutionException rejected
            && rejected.isExecutorShutdown());
  }

  /** Returns the exception that a coordinating node would see. */
  public static Exception unwrapRemote(Exception failure) {
    return failure instanceof NodeCallException sending ? sending.exception() : failure;
  }
}
