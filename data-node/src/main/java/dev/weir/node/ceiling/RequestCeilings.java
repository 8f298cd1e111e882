package dev.weir.node.ceiling;

import java.io.IOException;
import java.util.Optional;
import org.apache.lucene.search.Query;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchShardTask;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.lease.Releasables;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.index.shard.SearchOperationListener;
import org.opensearch.search.aggregations.AggregationInitializationException;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.query.QueryCollectorArguments;
import org.opensearch.search.query.QueryCollectorContextSpec;
import org.opensearch.search.query.QueryCollectorContextSpecFactory;
import org.opensearch.tasks.Task;

/**
 * Applies the ceilings of searches to their shard requests on this node.
 *
 * <p>All shard requests of a search share its account: those whose header names the same search, or
 * that have the same parent task if it names none. The node's own accounting goes on: an account
 * passes every reservation on to the request breaker. Safe on any thread; OpenSearch calls it on
 * search threads.
 */
public final class RequestCeilings
    implements SearchOperationListener, QueryCollectorContextSpecFactory {
  /**
   * The transport header with a search's ceiling, such as {@code bytes=67108864,buckets=100000}. A
   * node keeps it with the task; clients of its REST port cannot set it.
   */
  public static final String HEADER = "weir-request-ceiling";

  private final RequestAccounts accounts = new RequestAccounts();
  private volatile PageCacheRecycler pages = PageCacheRecycler.NON_RECYCLING_INSTANCE;

  /** Creates ceilings without any search; arrays take new pages until {@link #setPages}. */
  public RequestCeilings() {}

  /** Sets the node's own pages for arrays, before the first search. */
  public void setPages(PageCacheRecycler recycler) {
    pages = recycler;
  }

  /**
   * Gives the aggregations of a shard request the search's account. What they take is refused when
   * they take it; OpenSearch ignores what this method throws.
   */
  @Override
  public void onPreQueryPhase(SearchContext context) {
    if (context.aggregations() == null || context.isStreamSearch()) {
      return;
    }
    CircuitBreakerService node = context.bigArrays().breakerService();
    int maxBuckets = context.aggregations().multiBucketConsumer().getLimit();
    Lease lease = lease(context);
    if (lease == null) {
      return;
    }
    CeilingBucketConsumer consumer = new CeilingBucketConsumer(maxBuckets, lease.account());
    try {
      CeilingAggregations.replace(
          context,
          arrays(node, lease.account()),
          consumer,
          () -> Releasables.close(consumer, lease));
    } catch (IOException failure) {
      throw new AggregationInitializationException("Could not initialize aggregators", failure);
    }
  }

  private BigArrays arrays(CircuitBreakerService node, RequestAccount account) {
    return new BigArrays(pages, new RequestBreakerService(node, account), CircuitBreaker.REQUEST)
        .withCircuitBreaking();
  }

  /**
   * Reserves what the queue of top documents takes, just before OpenSearch creates it, and leaves
   * its creation to others.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if the search would hold
   *     more than its ceiling
   */
  @Override
  public Optional<QueryCollectorContextSpec> createQueryCollectorContextSpec(
      SearchContext context, Query query, QueryCollectorArguments arguments) {
    Lease lease = context.size() > 0 ? lease(context) : null;
    if (lease != null) {
      int slices =
          context.shouldUseConcurrentSearch()
              ? Math.max(1, context.searcher().getSlices().length)
              : 1;
      try {
        lease.reserve(HitsEstimate.bytes(context, slices), "<top hits>");
      } finally {
        context.addReleasable(lease);
      }
    }
    return Optional.empty();
  }

  private @Nullable Lease lease(SearchContext context) {
    SearchShardTask task = context.getTask();
    RequestCeiling ceiling = task == null ? null : RequestCeiling.parse(task.getHeader(HEADER));
    if (ceiling == null) {
      return null;
    }
    Object key = accountKey(ceiling, task);
    CircuitBreaker breaker =
        context.bigArrays().breakerService().getBreaker(CircuitBreaker.REQUEST);
    String opaqueId = task.getHeader(Task.X_OPAQUE_ID);
    return new Lease(
        accounts,
        key,
        accounts.acquire(
            key, () -> new RequestAccount(ceiling, opaqueId == null ? "" : opaqueId, breaker)));
  }

  /** Returns what identifies the search of a shard request. */
  static Object accountKey(RequestCeiling ceiling, Task task) {
    if (!ceiling.searchId().isEmpty()) {
      return ceiling.searchId();
    }
    TaskId parent = task.getParentTaskId();
    return parent.isSet() ? parent : (Long) task.getId();
  }

  /** Returns the number of searches that run under a ceiling. */
  int running() {
    return accounts.size();
  }

  /** A shard request's part in the account of its search, until its context closes. */
  private static final class Lease implements Releasable {
    private final RequestAccounts accounts;
    private final Object key;
    private final RequestAccount account;
    private long reserved;

    Lease(RequestAccounts accounts, Object key, RequestAccount account) {
      this.accounts = accounts;
      this.key = key;
      this.account = account;
    }

    RequestAccount account() {
      return account;
    }

    void reserve(long bytes, String label) {
      account.addEstimateBytesAndMaybeBreak(bytes, label);
      reserved = bytes;
    }

    @Override
    public void close() {
      account.addWithoutBreaking(-reserved);
      accounts.release(key);
    }
  }
}
