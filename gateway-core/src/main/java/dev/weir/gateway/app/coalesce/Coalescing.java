package dev.weir.gateway.app.coalesce;

import dev.weir.admission.coalesce.AlikeSearches;
import dev.weir.admission.coalesce.AlikeSearches.Alike;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Has identical searches that are under way at the same time run once. A search joins one only if
 * both look at the same state of the cluster, and if nothing that a client was told since the other
 * began made documents visible, as far as this gateway saw it. Safe on any thread.
 */
public final class Coalescing implements RequestHandler {
  private final RequestHandler next;
  private final Supplier<?> clusterState;
  private final CoalescingCounts counts = new CoalescingCounts();
  private final AtomicLong refreshes = new AtomicLong();
  private final Map<Key, SharedRun> runs = new ConcurrentHashMap<>();
  private volatile AlikeSearches searches;

  private record Key(Alike search, Object clusterState, long refreshes) {}

  /**
   * Makes it.
   *
   * @param next carries requests out
   * @param clusterState says which state of the cluster requests go by now, comparable by equals
   */
  public Coalescing(CoalescingPolicy policy, RequestHandler next, Supplier<?> clusterState) {
    this.searches = new AlikeSearches(policy);
    this.next = next;
    this.clusterState = clusterState;
  }

  /** Goes by another policy from now on. */
  public void use(CoalescingPolicy policy) {
    searches = new AlikeSearches(policy);
  }

  /** Whether anything may be shared. */
  public boolean on() {
    return searches.any();
  }

  /** What became of searches. */
  public CoalescingCounts counts() {
    return counts;
  }

  /** Searches that wait for the answer of another. */
  public int waiting() {
    return runs.values().stream().mapToInt(SharedRun::followers).sum();
  }

  /** A client is going to hear that documents were made visible: later searches must see them. */
  public void refreshed() {
    refreshes.incrementAndGet();
  }

  @Override
  public void handle(HttpExchange exchange) {
    AlikeSearches rules = searches;
    Alike search = rules.of(exchange);
    if (search != null) {
      share(exchange, rules, new Key(search, clusterState.get(), refreshes.get()));
    } else if (rules.any() && makesVisible(exchange)) {
      next.handle(new RefreshingExchange(exchange, this::refreshed));
    } else {
      next.handle(exchange);
    }
  }

  /** Whether a write's answer says that its documents can be found. */
  private static boolean makesVisible(HttpExchange exchange) {
    int query = exchange.uri().indexOf('?');
    return query >= 0 && exchange.uri().indexOf("refresh", query) >= 0;
  }

  private void share(HttpExchange exchange, AlikeSearches rules, Key key) {
    while (true) {
      SharedRun fresh = new SharedRun(exchange, new Ending(key));
      SharedRun run = runs.putIfAbsent(key, fresh);
      if (run == null) {
        lead(key, fresh);
        return;
      }
      long age = exchange.arrivedNanos() - run.arrivedNanos();
      if (age > rules.policy().joinWithin().toNanos()) {
        counts.old();
        next.handle(exchange);
        return;
      }
      switch (run.join(exchange, rules.policy().maxFollowers())) {
        case JOINED -> {
          counts.followed();
          return;
        }
        case FULL -> {
          counts.full();
          next.handle(exchange);
          return;
        }
        case ENDED -> runs.remove(key, run);
      }
    }
  }

  private void lead(Key key, SharedRun run) {
    try {
      next.handle(run.begin());
    } catch (RuntimeException | Error e) {
      runs.remove(key, run);
      throw e;
    }
  }

  private final class Ending implements SharedRun.Ends {
    private final Key key;

    Ending(Key key) {
      this.key = key;
    }

    @Override
    public void over(SharedRun run) {
      runs.remove(key, run);
    }

    @Override
    public void shared(int followers) {
      if (followers > 0) {
        counts.led();
        counts.saved(followers);
      }
    }

    @Override
    public void again(HttpExchange follower) {
      counts.again(1);
      handle(follower);
    }
  }
}
