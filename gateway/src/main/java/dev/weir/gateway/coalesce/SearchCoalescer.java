package dev.weir.gateway.coalesce;

import dev.weir.admission.coalesce.CoalescingKeyFactory;
import dev.weir.admission.coalesce.CoalescingKeyFactory.CoalescingKey;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.gateway.coalesce.CoalescedSearch.JoinResult;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has identical searches that are under way at the same time run once. A search joins one only if
 * both go by the very same policy and look at the same state of the cluster, and if nothing that a
 * client was told since the other began made documents visible, as far as this gateway saw it. One
 * that finds the other too old, or with enough that joined, runs too, and is the one that later
 * ones join. Safe on any thread.
 */
public final class SearchCoalescer implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(SearchCoalescer.class);
  private static final int INTERNAL_ERROR = 500;

  private final RequestHandler next;
  private final Supplier<?> clusterState;
  private final Function<HttpExchange, String> audience;
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
      String audience) {}

  /**
   * Makes it.
   *
   * @param next carries requests out
   * @param clusterState says which state of the cluster requests go by now, comparable by equals
   */
  public SearchCoalescer(
      PolicySectionRegistry<CoalescingPolicy> sections,
      RequestHandler next,
      Supplier<?> clusterState) {
    this(sections, next, clusterState, exchange -> "");
  }

  /**
   * Makes it where answers depend on who asks.
   *
   * @param audience says who asks: only those share an answer of whom it says the same
   */
  public SearchCoalescer(
      PolicySectionRegistry<CoalescingPolicy> sections,
      RequestHandler next,
      Supplier<?> clusterState,
      Function<HttpExchange, String> audience) {
    this.audience = audience;
    this.next = next;
    this.clusterState = clusterState;
    this.section = sections.register((name, says, before) -> coalescingRules(says));
  }

  private CoalescingKeyFactory coalescingRules(CoalescingPolicy says) {
    CoalescingKeyFactory searches = new CoalescingKeyFactory(says);
    if (searches.isEnabled()) {
      everEnabled = true;
    }
    return searches;
  }

  /**
   * Whether anything may be shared, by any policy that there is or was: requests may still go by an
   * older one.
   */
  public boolean isEnabled() {
    return everEnabled;
  }

  /** What became of searches. */
  public CoalescingCounters counts() {
    return counts;
  }

  /** Searches that wait for the answer of another. */
  public int waitingSearches() {
    return activeSearches.stream().mapToInt(CoalescedSearch::followers).sum();
  }

  /** A client is going to hear that documents were made visible: later searches must see them. */
  public void onRefresh() {
    refreshes.incrementAndGet();
  }

  @Override
  public void handle(HttpExchange exchange) {
    CoalescingKeyFactory rules = exchange.policy().get(section);
    CoalescingKey search = rules.createKey(exchange);
    if (search != null) {
      share(
          exchange,
          rules,
          new Key(
              search,
              clusterState.get(),
              refreshes.get(),
              exchange.policy(),
              audience.apply(exchange)));
    } else if (everEnabled && isRefreshing(exchange)) {
      next.handle(new RefreshTrackingExchange(exchange, this::onRefresh));
    } else {
      next.handle(exchange);
    }
  }

  /** Whether a write's answer says that its documents can be found. */
  private static boolean isRefreshing(HttpExchange exchange) {
    int query = exchange.uri().indexOf('?');
    return query >= 0 && exchange.uri().indexOf("refresh", query) >= 0;
  }

  /** Joins the newest run where that may be, or begins one for those who come after. */
  private void share(HttpExchange exchange, CoalescingKeyFactory rules, Key key) {
    CoalescedSearch fresh = null;
    while (true) {
      CoalescedSearch run = joinableSearches.get(key);
      JoinResult joining = run == null ? JoinResult.ENDED : join(exchange, run, rules.policy());
      if (joining == JoinResult.JOINED) {
        counts.recordFollower();
        return;
      }
      if (fresh == null) {
        fresh = new CoalescedSearch(exchange, new SearchListener(key));
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
        lead(key, fresh);
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

  private void lead(Key key, CoalescedSearch run) {
    activeSearches.add(run);
    try {
      next.handle(run.start());
    } catch (RuntimeException | Error e) {
      forget(key, run);
      run.fail(failureReply(e));
      throw e;
    }
  }

  /** What those are told whose search broke, as the leader is by whoever catches it. */
  private static BufferedResponse failureReply(Throwable defect) {
    ErrorBody body = new ErrorBody(INTERNAL_ERROR, "exception", String.valueOf(defect));
    return new BufferedResponse(
        INTERNAL_ERROR,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(body.bytes(false)),
        () -> {});
  }

  private void forget(Key key, CoalescedSearch run) {
    joinableSearches.remove(key, run);
    activeSearches.remove(run);
  }

  private final class SearchListener implements CoalescedSearch.Listener {
    private final Key key;

    SearchListener(Key key) {
      this.key = key;
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
      try {
        handle(follower);
      } catch (RuntimeException | Error e) {
        LOG.error("handler failed on {} {}", follower.method(), follower.uri(), e);
        follower.respond(failureReply(e)); // nobody else would: it is a task of its own
      }
    }
  }
}
