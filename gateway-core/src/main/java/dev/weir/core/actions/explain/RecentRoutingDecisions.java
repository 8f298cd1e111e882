package dev.weir.core.actions.explain;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.routing.ReplicaSelector;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Stores the routing decisions of the newest requests in a ring buffer. Remarkable ones (a copy was
 * late, failed or was probed, or the client asked for an explanation) move from there to a second
 * ring, where they stay longer. Safe on any thread.
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

  /** A ring buffer of fixed size. */
  private static final class RingBuffer {
    private final AtomicReferenceArray<@Nullable RequestRoutingDecisions> slots;
    private final AtomicLong nextSlot = new AtomicLong();

    RingBuffer(int size) {
      slots = new AtomicReferenceArray<>(size);
    }

    /** Adds an element and returns the one that it replaces. */
    @Nullable RequestRoutingDecisions replaceOldest(RequestRoutingDecisions newer) {
      return slots.getAndSet((int) (nextSlot.getAndIncrement() % slots.length()), newer);
    }
  }

  /** Creates a store with rejections of its own. */
  public RecentRoutingDecisions(
      int size,
      Supplier<ClusterView> views,
      ReplicaSelector selector,
      LongSupplier nanoTime,
      LongSupplier millis) {
    this(size, views, selector, nanoTime, millis, rejections(size, millis));
  }

  /**
   * Creates a store for this many requests; 0 for none.
   *
   * @param views provides node names
   * @param selector ranks copies
   * @param nanoTime a monotonic clock, nanoseconds
   * @param millis the wall clock, milliseconds since the epoch
   * @param refusals assigns request numbers, and stores rejections
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

  /** Creates a store of rejections that fits a store of {@code size} requests. */
  public static RecentRejections rejections(int size, LongSupplier millis) {
    return new RecentRejections(remarkableSize(size), millis);
  }

  private static RingBuffers rings(int size) {
    return new RingBuffers(new RingBuffer(size), new RingBuffer(remarkableSize(size)));
  }

  /** Returns the size of the second ring. */
  private static int remarkableSize(int size) {
    return size / 4 + Math.min(size, 1);
  }

  /** Returns the number of stored requests. */
  public int size() {
    return rings.recent().slots.length();
  }

  /** Changes the number of stored requests, and drops the stored ones if it differs. */
  public void resize(int size) {
    if (size != size()) {
      rings = rings(size);
      rejections.resize(remarkableSize(size));
    }
  }

  /** Returns the selector that ranks copies. */
  public ReplicaSelector selector() {
    return selector;
  }

  /** Returns the known node names by id. */
  UnaryOperator<String> nodeNames() {
    Map<String, NodeEndpoint> nodes = views.get().nodes();
    return id -> {
      NodeEndpoint node = nodes.get(id);
      return node == null ? id : node.name();
    };
  }

  /** Records the order of a shard's copies, with scores if there was a free choice. */
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

  /** Returns the decisions of a request; null if they are not recorded. */
  public @Nullable RequestRoutingDecisions decisionsOf(RequestContext context, String action) {
    if (context.search().routingDecisions() instanceof RequestRoutingDecisions own) {
      return own;
    }
    RingBuffers now = rings;
    if (context.isInternal()) {
      return null; // an internal request with the X-Opaque-Id of the client's request
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
   * Describes the newest request with this id, as maps for JSON; null if it is not stored.
   *
   * @param name the client's X-Opaque-Id, or the gateway's number
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

  /** Describes the newest rejected requests, latest first, as maps for JSON. */
  public List<Map<String, Object>> recentRejections(int most) {
    return rejections.newest(most, nodeNames());
  }

  /** Returns the store of rejections. */
  public RecentRejections rejections() {
    return rejections;
  }

  /** Returns the next request's number, under which an explanation can be requested. */
  public long nextNumber() {
    return rejections.nextNumber();
  }

  /** Returns the numbers of the requests that {@link #find} describes now. */
  public Set<Long> recordedNumbers() {
    Set<Long> numbers = new HashSet<>(rejections.numbers());
    RingBuffers now = rings;
    for (RingBuffer ring : List.of(now.recent(), now.remarkable())) {
      for (int i = 0; i < ring.slots.length(); i++) {
        RequestRoutingDecisions one = ring.slots.get(i);
        if (one != null) {
          numbers.add(one.id());
        }
      }
    }
    return numbers;
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
