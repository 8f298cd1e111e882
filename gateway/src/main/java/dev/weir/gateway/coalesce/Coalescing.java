package dev.weir.gateway.coalesce;

import dev.weir.admission.coalesce.AlikeSearches;
import dev.weir.admission.coalesce.AlikeSearches.Alike;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.gateway.coalesce.SharedRun.Joining;
import dev.weir.http.ErrorBody;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.PolicySections;
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
public final class Coalescing implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Coalescing.class);
  private static final int INTERNAL_ERROR = 500;

  private final RequestHandler next;
  private final Supplier<?> clusterState;
  private final Function<HttpExchange, String> audience;
  private final CoalescingCounts counts = new CoalescingCounts();
  private final AtomicLong refreshes = new AtomicLong();
  private final Map<Key, SharedRun> newest = new ConcurrentHashMap<>();
  private final Set<SharedRun> runs = ConcurrentHashMap.newKeySet();
  private final RequestPolicy.Section<AlikeSearches> section;
  private volatile boolean any;

  private record Key(
      Alike search, Object clusterState, long refreshes, RequestPolicy policy, String audience) {}

  /**
   * Makes it.
   *
   * @param next carries requests out
   * @param clusterState says which state of the cluster requests go by now, comparable by equals
   */
  public Coalescing(
      PolicySections<CoalescingPolicy> sections, RequestHandler next, Supplier<?> clusterState) {
    this(sections, next, clusterState, exchange -> "");
  }

  /**
   * Makes it where answers depend on who asks.
   *
   * @param audience says who asks: only those share an answer of whom it says the same
   */
  public Coalescing(
      PolicySections<CoalescingPolicy> sections,
      RequestHandler next,
      Supplier<?> clusterState,
      Function<HttpExchange, String> audience) {
    this.audience = audience;
    this.next = next;
    this.clusterState = clusterState;
    this.section = sections.add((name, says, before) -> searches(says));
  }

  private AlikeSearches searches(CoalescingPolicy says) {
    AlikeSearches searches = new AlikeSearches(says);
    if (searches.any()) {
      any = true;
    }
    return searches;
  }

  /**
   * Whether anything may be shared, by any policy that there is or was: requests may still go by an
   * older one.
   */
  public boolean on() {
    return any;
  }

  /** What became of searches. */
  public CoalescingCounts counts() {
    return counts;
  }

  /** Searches that wait for the answer of another. */
  public int waiting() {
    return runs.stream().mapToInt(SharedRun::followers).sum();
  }

  /** A client is going to hear that documents were made visible: later searches must see them. */
  public void refreshed() {
    refreshes.incrementAndGet();
  }

  @Override
  public void handle(HttpExchange exchange) {
    AlikeSearches rules = exchange.policy().of(section);
    Alike search = rules.of(exchange);
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
    } else if (any && makesVisible(exchange)) {
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

  /** Joins the newest run where that may be, or begins one for those who come after. */
  private void share(HttpExchange exchange, AlikeSearches rules, Key key) {
    SharedRun fresh = null;
    while (true) {
      SharedRun run = newest.get(key);
      Joining joining = run == null ? Joining.ENDED : join(exchange, run, rules.policy());
      if (joining == Joining.JOINED) {
        counts.followed();
        return;
      }
      if (fresh == null) {
        fresh = new SharedRun(exchange, new Ending(key));
      }
      boolean leads =
          run == null ? newest.putIfAbsent(key, fresh) == null : newest.replace(key, run, fresh);
      if (leads) {
        switch (joining) {
          case FULL -> counts.full();
          case OLD -> counts.old();
          case JOINED, ENDED -> {
            // nothing to join
          }
        }
        lead(key, fresh);
        return;
      }
    }
  }

  private static Joining join(HttpExchange exchange, SharedRun run, CoalescingPolicy policy) {
    long age = exchange.arrivedNanos() - run.arrivedNanos();
    return age > policy.joinWithin().toNanos()
        ? Joining.OLD
        : run.join(exchange, policy.maxFollowers());
  }

  private void lead(Key key, SharedRun run) {
    runs.add(run);
    try {
      next.handle(run.begin());
    } catch (RuntimeException | Error e) {
      forget(key, run);
      run.broke(failed(e));
      throw e;
    }
  }

  /** What those are told whose search broke, as the leader is by whoever catches it. */
  private static HttpReply failed(Throwable defect) {
    ErrorBody body = new ErrorBody(INTERNAL_ERROR, "exception", String.valueOf(defect));
    return new HttpReply(
        INTERNAL_ERROR,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(body.bytes(false)),
        () -> {});
  }

  private void forget(Key key, SharedRun run) {
    newest.remove(key, run);
    runs.remove(run);
  }

  private final class Ending implements SharedRun.Ends {
    private final Key key;

    Ending(Key key) {
      this.key = key;
    }

    @Override
    public void over(SharedRun run) {
      forget(key, run);
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
      try {
        handle(follower);
      } catch (RuntimeException | Error e) {
        LOG.error("handler failed on {} {}", follower.method(), follower.uri(), e);
        follower.respond(failed(e)); // nobody else would: it is a task of its own
      }
    }
  }
}
