package dev.weir.core.coordinate;

import dev.weir.protocol.NodeCall;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one search that know OpenSearch: the calls of each round, the reduction, and the
 * response. {@link SearchCoordinator} decides only their order. Confined to the request's event
 * loop; the methods are called in the order in which they stand here.
 */
public interface SearchWork extends CancellableWork {
  /** How many shards a response counts. */
  record ShardCounts(int total, int successful, int skipped) {}

  /** A shard after can-match: its ordinal, and whether it can be skipped. */
  record MatchedShard(int ordinal, boolean isSkippable) {}

  /** A search context that is open on a node and no longer needed. */
  record OpenContext(String nodeId, NodeCall<?> freeCall) {}

  /** The can-match round over these shards. */
  ShardRound<?> createCanMatchRound(List<Integer> ordinals);

  /** The order in which to query the shards, by the results of can-match. */
  List<MatchedShard> rankShards();

  /** The first round that does work, over these shards: query, dfs, or opening a point in time. */
  ShardRound<?> createFirstRound(List<Integer> ordinals);

  /**
   * The query round of a dfs search, after the first round gathered term statistics; null for other
   * searches.
   */
  @Nullable NodeRound<?> createDfsQueryRound();

  /**
   * Reduces the query results; {@link #createFetchRound} then knows what to fetch.
   *
   * @param done hears null, or the failure, on the event loop
   */
  void reduce(Consumer<@Nullable Exception> done);

  /** The fetch round; without calls when nothing has to be fetched. */
  NodeRound<?> createFetchRound();

  /** Merges the fetched documents with the reduced results. */
  void merge() throws Exception;

  /**
   * Searches for the hits behind each collapsed hit.
   *
   * @param done hears null, or the failure, on the event loop; not called when there is nothing to
   *     expand
   * @return whether there is something to expand
   */
  boolean expandCollapsedHits(Consumer<@Nullable Exception> done);

  /** How many shards have a failure that the response lists. */
  int failureCount();

  /** Records the duration of a phase for the response. */
  void recordPhaseTime(String phase, long nanos);

  /** Reports the duration of a phase to the metrics. */
  void reportPhaseTime(String phase, long nanos);

  /** Contexts that are open and no longer needed; returns each once. */
  List<OpenContext> drainUnneededContexts();

  /** Sends the response. Contexts that must outlive it stay open. */
  void succeed(ShardCounts counts);

  /** Whether contexts outlive the response, which alone holds their ids. */
  boolean hasPersistentContexts();

  /**
   * Discards the contexts that should have outlived the response, because the client did not get
   * it.
   */
  void discardPersistentContexts();

  /**
   * Fails the search in a phase.
   *
   * @param message as OpenSearch words it, such as {@code all shards failed}
   * @param cause null to look for the root cause among the shards' failures when {@code allShards}
   */
  void fail(String phase, String message, @Nullable Throwable cause, boolean allShards);

  /**
   * Fails the search before its first round, because some shards have no copy and the request does
   * not allow partial results.
   *
   * @param matching whether that round would have been can-match
   */
  void rejectUnassigned(boolean matching, List<Integer> ordinals);

  /**
   * Releases everything without an outcome, because another attempt follows. Calls neither the
   * listener of {@link #onUnrecoverable} nor the client's any more, also where a reduction still
   * runs.
   */
  void abandon();
}
