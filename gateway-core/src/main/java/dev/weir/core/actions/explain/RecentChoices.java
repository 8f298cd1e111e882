package dev.weir.core.actions.explain;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The choices of the newest requests, in a ring; those that were remarkable (a copy was late,
 * failed or was asked to learn about it, or the client wanted to know) leave it for a second ring,
 * where they stay for longer. What falls out of a ring is garbage. Safe on any thread.
 */
public final class RecentChoices {
  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** Characters of a client's name for its request that are kept. */
  private static final int MOST_ID = 128;

  private final Supplier<ClusterView> views;
  private final ReplicaSelector selector;
  private final LongSupplier nanoTime;
  private final LongSupplier millis;
  private final RecentRefusals refusals;
  private volatile Rings rings;

  private record Rings(Ring newest, Ring remarkable) {
    boolean keepsAny() {
      return newest.places.length() > 0;
    }

    void keep(RequestChoices own, boolean explained) {
      if (explained) {
        remarkable.exchange(own);
        return;
      }
      RequestChoices old = newest.exchange(own);
      if (old != null && old.remarkable()) {
        remarkable.exchange(old);
      }
    }
  }

  /** So many places, taken in turn. */
  private static final class Ring {
    private final AtomicReferenceArray<@Nullable RequestChoices> places;
    private final AtomicLong turn = new AtomicLong();

    Ring(int size) {
      places = new AtomicReferenceArray<>(size);
    }

    /** Puts one in; the one that has to go for it. */
    @Nullable RequestChoices exchange(RequestChoices newer) {
      return places.getAndSet((int) (turn.getAndIncrement() % places.length()), newer);
    }
  }

  /** Makes one with refusals of its own. */
  public RecentChoices(
      int size,
      Supplier<ClusterView> views,
      ReplicaSelector selector,
      LongSupplier nanoTime,
      LongSupplier millis) {
    this(size, views, selector, nanoTime, millis, refusals(size, millis));
  }

  /**
   * Makes one that keeps so many requests; 0 for none.
   *
   * @param views where nodes' names are
   * @param selector what orders copies
   * @param nanoTime a monotonic clock, nanoseconds
   * @param millis the clock on the wall
   * @param refusals numbers requests, and keeps those that are refused
   */
  public RecentChoices(
      int size,
      Supplier<ClusterView> views,
      ReplicaSelector selector,
      LongSupplier nanoTime,
      LongSupplier millis,
      RecentRefusals refusals) {
    this.views = views;
    this.selector = selector;
    this.nanoTime = nanoTime;
    this.millis = millis;
    this.rings = rings(size);
    this.refusals = refusals;
  }

  /** As many refusals as are kept beside so many requests. */
  public static RecentRefusals refusals(int size, LongSupplier millis) {
    return new RecentRefusals(besides(size), millis);
  }

  private static Rings rings(int size) {
    return new Rings(new Ring(size), new Ring(besides(size)));
  }

  /** How many are kept besides, for a reason of their own. */
  private static int besides(int size) {
    return size / 4 + Math.min(size, 1);
  }

  /** How many requests are kept. */
  public int size() {
    return rings.newest().places.length();
  }

  /** Keeps so many from now on; forgets what was kept where that changes. */
  public void resize(int size) {
    if (size != size()) {
      rings = rings(size);
      refusals.resize(besides(size));
    }
  }

  /** What orders copies. */
  public ReplicaSelector selector() {
    return selector;
  }

  long now() {
    return nanoTime.getAsLong();
  }

  /** Names of nodes by their ids, as far as they are known. */
  UnaryOperator<String> names() {
    Map<String, NodeEndpoint> nodes = views.get().nodes();
    return id -> {
      NodeEndpoint node = nodes.get(id);
      return node == null ? id : node.name();
    };
  }

  /** A shard's copies were put in order, by scores where there was something to choose. */
  public ShardNotes chose(
      RequestContext context,
      String action,
      ShardTarget target,
      List<ShardCopy> ordered,
      Work work) {
    RequestChoices own = of(context, action);
    return own == null
        ? ShardNotes.NONE
        : own.weighing(work).chose(target, ordered, !target.orderFixed());
  }

  /** Where the choices of a request are kept; null where they are not. */
  public @Nullable RequestChoices of(RequestContext context, String action) {
    if (context.notes() instanceof RequestChoices own) {
      return own;
    }
    Rings now = rings;
    if (context.inner()) {
      return null; // it has the name that the client gave to its own
    }
    if (!now.keepsAny() && !context.explained()) {
      return null;
    }
    RequestChoices own =
        new RequestChoices(
            this,
            selector.by(context.policy()),
            RecentRefusals.Who.of(context),
            action,
            millis.getAsLong());
    if (now.keepsAny()) {
      now.keep(own, context.explained());
    }
    context.keep(own);
    return own;
  }

  static String opaqueId(RequestContext context) {
    return context.transportHeaders().getOrDefault(OPAQUE_ID, "");
  }

  static String cut(String opaqueId) {
    return opaqueId.length() <= MOST_ID ? opaqueId : opaqueId.substring(0, MOST_ID);
  }

  /**
   * The newest request of this name, as maps to be shown as JSON; null when it is not kept.
   *
   * @param name the client's X-Opaque-Id, or this gateway's own number
   */
  public @Nullable Map<String, Object> find(String name) {
    String cut = cut(name);
    RequestChoices own = newest(one -> !cut.isEmpty() && one.opaqueId().equals(cut));
    long refused = cut.isEmpty() ? 0 : refusals.newest(cut);
    if (own == null && refused == 0) {
      return name.matches("\\d{1,18}") ? find(Long.parseLong(name)) : null;
    }
    return find(own == null ? refused : Math.max(own.id(), refused));
  }

  private @Nullable Map<String, Object> find(long number) {
    RequestChoices own = newest(one -> one.id() == number);
    Map<String, Object> body = own == null ? refusals.head(number) : own.shown();
    if (body != null) {
      refusals.why(number, names(), body);
    }
    return body;
  }

  /** The newest refused requests, the last one first, as maps to be shown as JSON. */
  public List<Map<String, Object>> refused(int most) {
    return refusals.newest(most, names());
  }

  /** Why requests were refused. */
  public RecentRefusals refusals() {
    return refusals;
  }

  /** The next request's number, by which it can be asked for. */
  public long number() {
    return refusals.number();
  }

  private @Nullable RequestChoices newest(Predicate<RequestChoices> like) {
    RequestChoices newest = null;
    Rings now = rings;
    for (Ring ring : List.of(now.newest(), now.remarkable())) {
      for (int i = 0; i < ring.places.length(); i++) {
        RequestChoices one = ring.places.get(i);
        if (one != null && (newest == null || one.id() > newest.id()) && like.test(one)) {
          newest = one;
        }
      }
    }
    return newest;
  }
}
