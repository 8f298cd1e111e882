package dev.weir.admission.memory;

import dev.weir.admission.MemoryLedger;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory.Item;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all requests together hold of the gateway's memory, in three pools: bodies, answers, and
 * work, which is answers as objects and what reductions make of them. Opens a {@link RequestLedger}
 * for each request. Safe on any thread.
 *
 * <p>Of every pool one request, or one tenant, may hold as much as {@code a} times what is free in
 * it afterwards, with {@code a = share / (1 - share)}: alone {@code share} of the pool, beside
 * others less, so that there is always some left for who holds little. What is less than a 32nd of
 * the pool is not held to that.
 */
public final class GatewayMemory {
  /** Refusals that are kept to be shown. */
  public static final int REFUSALS_KEPT = 20;

  private final Pools pools;
  private final LongSupplier wallMillis;
  private final LongAdder[] held = new LongAdder[Item.values().length];
  private final Map<Bound, LongAdder> refused = new EnumMap<>(Bound.class);
  private final Set<RequestLedger> large = ConcurrentHashMap.newKeySet();
  private final Map<String, TenantMemory> tenants = new ConcurrentHashMap<>();
  private final ArrayDeque<Refused> refusals = new ArrayDeque<>(REFUSALS_KEPT);
  private volatile RequestLimits limits;
  private volatile BiConsumer<RequestLedger, MemoryRefusal> listener = (whose, why) -> {};

  /**
   * The bounds of all requests together.
   *
   * @param bodies of bodies
   * @param answers of what is made of bodies, nodes' answers, and answers to clients
   * @param work of answers as objects, and reductions
   */
  public record Pools(MemoryLedger bodies, MemoryLedger answers, MemoryLedger work) {
    /** Pools with a work pool as the policy says. */
    public static Pools of(RequestMemoryPolicy policy, MemoryLedger bodies, MemoryLedger answers) {
      return new Pools(bodies, answers, new MemoryLedger(policy.maxWorkBytes().bytes()));
    }
  }

  /** What a request was refused by. */
  public enum Bound {
    /** What one request may hold. */
    REQUEST("one request"),
    /** What one request may hold of a pool beside the others. */
    SHARE("one request beside the others (admission.request-memory.share)"),
    /** What one tenant may hold of a pool beside the others. */
    TENANT("one tenant beside the others (admission.request-memory.share)"),
    /** What all requests may hold together. */
    POOL("all requests together");

    private final String words;

    Bound(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  /**
   * A refusal that is kept.
   *
   * @param atMillis the time of day
   * @param request its method and path
   * @param bound what it was refused by
   * @param why with the bill
   */
  public record Refused(long atMillis, String request, Bound bound, MemoryRefusal why) {}

  /**
   * What a request holds.
   *
   * @param request its method and path
   * @param bytes now
   * @param peakBytes the most so far
   * @param bill by item, the largest first
   */
  public record Holding(String request, long bytes, long peakBytes, List<String> bill) {}

  /**
   * Makes the memory of a gateway, of which nothing is held.
   *
   * @param wallMillis the time of day
   */
  public GatewayMemory(RequestMemoryPolicy policy, Pools pools, LongSupplier wallMillis) {
    this.limits = RequestLimits.of("", policy);
    this.pools = pools;
    this.wallMillis = wallMillis;
    for (Item item : Item.values()) {
      held[item.ordinal()] = new LongAdder();
    }
    for (Bound bound : Bound.values()) {
      refused.put(bound, new LongAdder());
    }
  }

  /**
   * Opens the ledger of a request, which takes nothing yet.
   *
   * @param tenant whose request it is; null for nobody's in particular
   * @param opaqueId the client's name for it; empty for none
   */
  public RequestLedger open(String method, String uri, @Nullable String tenant, String opaqueId) {
    return open(method, uri, tenant, opaqueId, limits);
  }

  /**
   * The same.
   *
   * @param limits of this request
   */
  public RequestLedger open(
      String method, String uri, @Nullable String tenant, String opaqueId, RequestLimits limits) {
    return new RequestLedger(this, method, uri, tenant, opaqueId, limits);
  }

  /** Opens the ledger of a request that has no name. */
  public RequestLedger open(String method, String uri, @Nullable String tenant) {
    return open(method, uri, tenant, "");
  }

  /** Has somebody hear why a client was refused memory; on any thread. */
  public void tellRefusals(BiConsumer<RequestLedger, MemoryRefusal> to) {
    listener = to;
  }

  void tell(RequestLedger whose, MemoryRefusal why) {
    listener.accept(whose, why);
  }

  /** Bounds requests that come after this by another policy; what is held already stays. */
  public void use(RequestMemoryPolicy next) {
    pools.work.limitBytes(next.maxWorkBytes().bytes());
    limits = RequestLimits.of("", next);
  }

  /** The policy in force. */
  public RequestMemoryPolicy policy() {
    return limits.policy();
  }

  /** Answers as objects, and reductions, of all requests. */
  public MemoryLedger work() {
    return pools.work;
  }

  /** Bytes that all requests together hold for something; zero at rest. */
  public long held(Item item) {
    return held[item.ordinal()].sum();
  }

  /** Bytes that all requests together hold; zero at rest. */
  public long held() {
    long sum = 0;
    for (LongAdder one : held) {
      sum += one.sum();
    }
    return sum;
  }

  /** How often a request was refused by a bound. */
  public long refused(Bound bound) {
    return count(bound).sum();
  }

  /** The newest refusals, the last one first. */
  public List<Refused> refusals() {
    synchronized (refusals) {
      return List.copyOf(refusals);
    }
  }

  /** The requests that hold most now, of those that hold over a megabyte. */
  public List<Holding> largest(int most) {
    List<Holding> all = new ArrayList<>();
    for (RequestLedger one : large) {
      all.add(one.holding());
    }
    all.sort(Comparator.comparingLong(Holding::bytes).reversed());
    return List.copyOf(all.subList(0, Math.min(most, all.size())));
  }

  /** Tenants that hold something now. */
  int tenantsHolding() {
    return tenants.size();
  }

  MemoryLedger pool(Item item) {
    return switch (item) {
      case BODY -> pools.bodies;
      case PARSED, ANSWERS, OUTPUT -> pools.answers;
      case DECODED, REDUCTION -> pools.work;
    };
  }

  void changed(Item item, long bytes) {
    held[item.ordinal()].add(bytes);
  }

  void large(RequestLedger ledger, boolean is) {
    if (is) {
      large.add(ledger);
    } else {
      large.remove(ledger);
    }
  }

  /** A request of the tenant begins to hold something. */
  TenantMemory enter(String tenant) {
    return tenants.compute(
        tenant,
        (name, known) -> {
          TenantMemory memory = known == null ? new TenantMemory() : known;
          memory.enter();
          return memory;
        });
  }

  /** A request of the tenant holds nothing any more. */
  void leave(String tenant) {
    tenants.computeIfPresent(tenant, (name, known) -> known.leave() ? null : known);
  }

  /** Counts and keeps a refusal. */
  void refuse(RequestLedger by, Bound bound, MemoryRefusal why) {
    count(bound).increment();
    synchronized (refusals) {
      if (refusals.size() == REFUSALS_KEPT) {
        refusals.removeLast();
      }
      refusals.addFirst(new Refused(wallMillis.getAsLong(), by.request(), bound, why));
    }
    if (why.item() != Item.BODY) { // a body may do with less; who reads it knows
      tell(by, why);
    }
  }

  private LongAdder count(Bound bound) {
    LongAdder count = refused.get(bound);
    if (count == null) {
      throw new IllegalStateException("got the bound " + bound + " (expected: a known one)");
    }
    return count;
  }
}
