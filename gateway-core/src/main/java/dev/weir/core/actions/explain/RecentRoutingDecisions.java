package dev.weir.core.actions.explain;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
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
public final class RecentRoutingDecisions {
  private final Supplier<ClusterView> views;
  private final ReplicaSelector selector;
  private final RecordingContext recording;
  private final LongSupplier currentTimeMillis;
  private final RecentRejections rejections;
  private volatile RingBuffers rings;

  private record RingBuffers(RingBuffer recent, RingBuffer remarkable) {
    boolean isEnabled() {
      return recent.slots.length() > 0;
    }

    void add(RequestRoutingDecisions own, boolean explained) {
      if (explained) {
        remarkable.replaceOldest(own);
        return;
      }
      RequestRoutingDecisions old = recent.replaceOldest(own);
      if (old != null && old.isRemarkable()) {
        remarkable.replaceOldest(old);
      }
    }
  }

  /** So many places, taken in turn. */
  private static final class RingBuffer {
    private final AtomicReferenceArray<@Nullable RequestRoutingDecisions> slots;
    private final AtomicLong nextSlot = new AtomicLong();

    RingBuffer(int size) {
      slots = new AtomicReferenceArray<>(size);
    }

    /** Puts one in; the one that has to go for it. */
    @Nullable RequestRoutingDecisions replaceOldest(RequestRoutingDecisions newer) {
      return slots.getAndSet((int) (nextSlot.getAndIncrement() % slots.length()), newer);
    }
  }

  /** Makes one with refusals of its own. */
  public RecentRoutingDecisions(
      int size,
      Supplier<ClusterView> views,
      ReplicaSelector selector,
      LongSupplier nanoTime,
      LongSupplier millis) {
    this(size, views, selector, nanoTime, millis, rejections(size, millis));
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
  public RecentRoutingDecisions(
      int size,
      Supplier<ClusterView> views,
      ReplicaSelector selector,
      LongSupplier nanoTime,
      LongSupplier millis,
      RecentRejections refusals) {
    this.views = views;
    this.selector = selector;
    this.recording = new RecordingContext(nanoTime, this::nodeNames);
    this.currentTimeMillis = millis;
    this.rings = rings(size);
    this.rejections = refusals;
  }

  /** As many refusals as are kept beside so many requests. */
  public static RecentRejections rejections(int size, LongSupplier millis) {
    return new RecentRejections(remarkableSize(size), millis);
  }

  private static RingBuffers rings(int size) {
    return new RingBuffers(new RingBuffer(size), new RingBuffer(remarkableSize(size)));
  }

  /** How many are kept besides, for a reason of their own. */
  private static int remarkableSize(int size) {
    return size / 4 + Math.min(size, 1);
  }

  /** How many requests are kept. */
  public int size() {
    return rings.recent().slots.length();
  }

  /** Keeps so many from now on; forgets what was kept where that changes. */
  public void resize(int size) {
    if (size != size()) {
      rings = rings(size);
      rejections.resize(remarkableSize(size));
    }
  }

  /** What orders copies. */
  public ReplicaSelector selector() {
    return selector;
  }

  /** Names of nodes by their ids, as far as they are known. */
  UnaryOperator<String> nodeNames() {
    Map<String, NodeEndpoint> nodes = views.get().nodes();
    return id -> {
      NodeEndpoint node = nodes.get(id);
      return node == null ? id : node.name();
    };
  }

  /** A shard's copies were put in order, by scores where there was something to choose. */
  public ShardRoutingRecorder recordRanking(
      RequestContext context,
      String action,
      ShardTarget target,
      List<ShardCopy> ordered,
      NodeCallType work) {
    RequestRoutingDecisions own = decisionsOf(context, action);
    return own == null
        ? ShardRoutingRecorder.NONE
        : own.newScorer(work).recordRanking(target, ordered, !target.isOrderFixed());
  }

  /** Where the choices of a request are kept; null where they are not. */
  public @Nullable RequestRoutingDecisions decisionsOf(RequestContext context, String action) {
    if (context.search().routingDecisions() instanceof RequestRoutingDecisions own) {
      return own;
    }
    RingBuffers now = rings;
    if (context.isInternal()) {
      return null; // it has the name that the client gave to its own
    }
    if (!now.isEnabled() && !context.search().isExplanationRequested()) {
      return null;
    }
    RequestRoutingDecisions own =
        new RequestRoutingDecisions(
            recording,
            selector.forPolicy(context.resources().policy()),
            RecentRejections.RequestIdentity.of(context),
            action,
            currentTimeMillis.getAsLong());
    if (now.isEnabled()) {
      now.add(own, context.search().isExplanationRequested());
    }
    context.search().setRoutingDecisions(own);
    return own;
  }

  /**
   * The newest request of this name, as maps to be shown as JSON; null when it is not kept.
   *
   * @param name the client's X-Opaque-Id, or this gateway's own number
   */
  public @Nullable Map<String, Object> find(String name) {
    String cut = RecentRejections.RequestIdentity.truncate(name);
    RequestRoutingDecisions own = findNewest(one -> !cut.isEmpty() && one.opaqueId().equals(cut));
    long refused = cut.isEmpty() ? 0 : rejections.newest(cut);
    if (own == null && refused == 0) {
      return name.matches("\\d{1,18}") ? find(Long.parseLong(name)) : null;
    }
    return find(own == null ? refused : Math.max(own.id(), refused));
  }

  private @Nullable Map<String, Object> find(long number) {
    RequestRoutingDecisions own = findNewest(one -> one.id() == number);
    Map<String, Object> body = own == null ? rejections.describe(number) : own.toMap();
    if (body != null) {
      rejections.addReasons(number, nodeNames(), body);
    }
    return body;
  }

  /** The newest refused requests, the last one first, as maps to be shown as JSON. */
  public List<Map<String, Object>> recentRejections(int most) {
    return rejections.newest(most, nodeNames());
  }

  /** Why requests were refused. */
  public RecentRejections rejections() {
    return rejections;
  }

  /** The next request's number, by which it can be asked for. */
  public long nextNumber() {
    return rejections.nextNumber();
  }

  private @Nullable RequestRoutingDecisions findNewest(Predicate<RequestRoutingDecisions> like) {
    RequestRoutingDecisions newest = null;
    RingBuffers now = rings;
    for (RingBuffer ring : List.of(now.recent(), now.remarkable())) {
      for (int i = 0; i < ring.slots.length(); i++) {
        RequestRoutingDecisions one = ring.slots.get(i);
        if (one != null && (newest == null || one.id() > newest.id()) && like.test(one)) {
          newest = one;
        }
      }
    }
    return newest;
  }
}
