package dev.weir.gateway.coalesce;

import dev.weir.admission.coalesce.CoalescingKeyFactory;
import dev.weir.admission.coalesce.CoalescingKeyFactory.CoalescingKey;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.gateway.coalesce.CoalescedSearch.JoinResult;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs identical concurrent searches once. A search joins a running one only if both have the same
 * policy and see the same state of the cluster, and if this gateway has confirmed no refresh to any
 * client since the other started. A search that finds the running one too old, or with the maximum
 * of followers, runs too; later ones join it instead. Safe on any thread.
 */
public final class SearchCoalescer implements RequestFilter {
  private static final Logger LOG = LoggerFactory.getLogger(SearchCoalescer.class);

  private final Supplier<?> clusterState;
  private final Function<HttpExchange, String> clientKey;
  private final CoalescingCounters counts = new CoalescingCounters();
  private final AtomicLong refreshes = new AtomicLong();
  private final Map<Key, CoalescedSearch> joinableSearches = new ConcurrentHashMap<>();
  private final Set<CoalescedSearch> activeSearches = ConcurrentHashMap.newKeySet();
  private final RequestPolicy.Section<CoalescingKeyFactory> section;
  private volatile boolean everEnabled;

  private record Key(
      CoalescingKey search,
      Object clusterState,
      long refreshes,
      RequestPolicy policy,
      String clientKey) {}

  /**
   * Creates one for responses that depend on the request alone.
   *
   * @param clusterState the position of the cluster state that requests see now; compared by equals
   */
  public SearchCoalescer(
      PolicySectionRegistry<CoalescingPolicy> sections, Supplier<?> clusterState) {
    this(sections, clusterState, exchange -> "");
  }

  /**
   * Creates one for responses that may depend on the client.
   *
   * @param clientKey the properties of the client that the response depends on; searches are
   *     identical only if their keys are equal
   */
  public SearchCoalescer(
      PolicySectionRegistry<CoalescingPolicy> sections,
      Supplier<?> clusterState,
      Function<HttpExchange, String> clientKey) {
    this.clientKey = clientKey;
    this.clusterState = clusterState;
    this.section = sections.register((name, policy, before) -> coalescingRules(policy));
  }

  private CoalescingKeyFactory coalescingRules(CoalescingPolicy policy) {
    CoalescingKeyFactory searches = new CoalescingKeyFactory(policy);
    if (searches.isEnabled()) {
      everEnabled = true;
    }
    return searches;
  }

  /**
   * Whether any policy coalesces searches, or a former one did: requests in flight may still have
   * an older policy.
   */
  public boolean isEnabled() {
    return everEnabled;
  }

  /** The counters of outcomes. */
  public CoalescingCounters counts() {
    return counts;
  }

  /** Searches that wait for the response of another. */
  public int waitingSearches() {
    return activeSearches.stream().mapToInt(CoalescedSearch::followers).sum();
  }

  /** A client is about to learn that documents are visible: later searches must see them. */
  public void onRefresh() {
    refreshes.incrementAndGet();
  }

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    CoalescingKeyFactory rules = exchange.policy().get(section);
    // users of a secured cluster never share a response
    CoalescingKey search = exchange.identity() == null ? rules.createKey(exchange) : null;
    if (search != null) {
      share(
          exchange,
          next,
          rules,
          new Key(
              search,
              clusterState.get(),
              refreshes.get(),
              exchange.policy(),
              clientKey.apply(exchange)));
    } else if (everEnabled && isRefreshing(exchange)) {
      next.handle(new RefreshReportingExchange(exchange, this::onRefresh));
    } else {
      next.handle(exchange);
    }
  }

  /** Whether a write's response may confirm that its documents are visible. */
  private static boolean isRefreshing(HttpExchange exchange) {
    int query = exchange.uri().indexOf('?');
    return query >= 0 && exchange.uri().indexOf("refresh", query) >= 0;
  }

  /** Joins the newest run if the policy allows it, or starts one that later searches may join. */
  private void share(
      HttpExchange exchange, RequestHandler next, CoalescingKeyFactory rules, Key key) {
    CoalescedSearch fresh = null;
    while (true) {
      CoalescedSearch run = joinableSearches.get(key);
      JoinResult joining = run == null ? JoinResult.ENDED : join(exchange, run, rules.policy());
      if (joining == JoinResult.JOINED) {
        counts.recordFollower();
        return;
      }
      if (fresh == null) {
        fresh = new CoalescedSearch(exchange, new SearchListener(key, next));
      }
      boolean leads =
          run == null
              ? joinableSearches.putIfAbsent(key, fresh) == null
              : joinableSearches.replace(key, run, fresh);
      if (leads) {
        switch (joining) {
          case TOO_MANY_FOLLOWERS -> counts.recordFull();
          case TOO_OLD -> counts.recordTooOld();
          case JOINED, ENDED -> {
            // nothing to join
          }
        }
        lead(key, fresh, next);
        return;
      }
    }
  }

  private static JoinResult join(
      HttpExchange exchange, CoalescedSearch run, CoalescingPolicy policy) {
    long age = exchange.arrivedNanos() - run.arrivedNanos();
    return age > policy.maxAge().toNanos()
        ? JoinResult.TOO_OLD
        : run.join(exchange, policy.maxFollowers());
  }

  private void lead(Key key, CoalescedSearch run, RequestHandler next) {
    activeSearches.add(run);
    try {
      next.handle(run.start());
    } catch (RuntimeException | Error e) {
      forget(key, run);
      // the leader's caller responds to it; this is for the followers
      run.fail(ErrorBody.ofUnexpected(e).toReply(Map.of(), false));
      throw e;
    }
  }

  private void forget(Key key, CoalescedSearch run) {
    joinableSearches.remove(key, run);
    activeSearches.remove(run);
  }

  private final class SearchListener implements CoalescedSearch.Listener {
    private final Key key;
    private final RequestHandler next;

    SearchListener(Key key, RequestHandler next) {
      this.key = key;
      this.next = next;
    }

    @Override
    public void onEnd(CoalescedSearch run) {
      forget(key, run);
    }

    @Override
    public void onShared(int followers) {
      if (followers > 0) {
        counts.recordLeader();
        counts.recordSaved(followers);
      }
    }

    @Override
    public void onRestart(HttpExchange follower) {
      counts.recordRestart(1);
      run(follower, () -> filter(follower, next));
    }

    @Override
    public void onNotShareable(HttpExchange follower) {
      run(follower, () -> next.handle(follower));
    }

    private void run(HttpExchange follower, Runnable attempt) {
      try {
        attempt.run();
      } catch (RuntimeException | Error e) {
        LOG.error("handler failed on {} {}", follower.method(), follower.uri(), e);
        follower.respond(
            ErrorBody.ofUnexpected(e)
                .toReply(Map.of(), false)); // a task of its own: no caller responds instead
      }
    }
  }
}
