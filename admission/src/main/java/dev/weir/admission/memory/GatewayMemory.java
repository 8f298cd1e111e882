package dev.weir.admission.memory;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory.Category;
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
 * work, which is answers as objects and what reductions make of them. Opens a {@link
 * RequestMemoryAccount} for each request. Safe on any thread.
 *
 * <p>Of every pool one request, or one tenant, may hold as much as {@code a} times what is free in
 * it afterwards, with {@code a = share / (1 - share)}: alone {@code share} of the pool, beside
 * others less, so that there is always some left for who holds little. What is less than a 32nd of
 * the pool is not held to that.
 */
public final class GatewayMemory {
  /** Refusals that are kept to be shown. */
  public static final int MAX_RECENT_REJECTIONS = 20;

  private final Pools pools;
  private final LongSupplier wallMillis;
  private final LongAdder[] usedBytes = new LongAdder[Category.values().length];
  private final Map<LimitScope, LongAdder> rejections = new EnumMap<>(LimitScope.class);
  private final Set<RequestMemoryAccount> largeAccounts = ConcurrentHashMap.newKeySet();
  private final Map<String, TenantMemory> tenants = new ConcurrentHashMap<>();
  private final ArrayDeque<RecordedRejection> recentRejections =
      new ArrayDeque<>(MAX_RECENT_REJECTIONS);
  private volatile RequestMemoryLimits limits;
  private volatile BiConsumer<RequestMemoryAccount, MemoryRejection> listener = (whose, why) -> {};

  /**
   * The bounds of all requests together.
   *
   * @param bodies of bodies
   * @param responses of what is made of bodies, nodes' answers, and answers to clients
   * @param reduce of answers as objects, and reductions
   */
  public record Pools(MemoryPool bodies, MemoryPool responses, MemoryPool reduce) {
    /** Pools with a work pool as the policy says. */
    public static Pools of(RequestMemoryPolicy policy, MemoryPool bodies, MemoryPool answers) {
      return new Pools(bodies, answers, new MemoryPool(policy.maxTotalReduceBytes().bytes()));
    }
  }

  /** What a request was refused by. */
  public enum LimitScope {
    /** What one request may hold. */
    REQUEST("one request"),
    /** What one request may hold of a pool beside the others. */
    POOL_SHARE("one request beside the others (admission.request-memory.max-pool-ratio)"),
    /** What one tenant may hold of a pool beside the others. */
    TENANT("one tenant beside the others (admission.request-memory.max-pool-ratio)"),
    /** What all requests may hold together. */
    POOL("all requests together");

    private final String label;

    LimitScope(String words) {
      this.label = words;
    }

    String label() {
      return label;
    }
  }

  /**
   * A refusal that is kept.
   *
   * @param atMillis the time of day
   * @param request its method and path
   * @param scope what it was refused by
   * @param rejection with the bill
   */
  public record RecordedRejection(
      long atMillis, String request, LimitScope scope, MemoryRejection rejection) {}

  /**
   * What a request holds.
   *
   * @param request its method and path
   * @param usedBytes now
   * @param peakBytes the most so far
   * @param bill by item, the largest first
   */
  public record RequestUsage(String request, long usedBytes, long peakBytes, List<String> bill) {}

  /**
   * Makes the memory of a gateway, of which nothing is held.
   *
   * @param wallMillis the time of day
   */
  public GatewayMemory(RequestMemoryPolicy policy, Pools pools, LongSupplier wallMillis) {
    this.limits = RequestMemoryLimits.forPolicy("", policy);
    this.pools = pools;
    this.wallMillis = wallMillis;
    for (Category item : Category.values()) {
      usedBytes[item.ordinal()] = new LongAdder();
    }
    for (LimitScope bound : LimitScope.values()) {
      rejections.put(bound, new LongAdder());
    }
  }

  /**
   * Opens the ledger of a request, which takes nothing yet.
   *
   * @param tenant whose request it is; null for nobody's in particular
   * @param opaqueId the client's name for it; empty for none
   */
  public RequestMemoryAccount openAccount(
      String method, String uri, @Nullable String tenant, String opaqueId) {
    return openAccount(method, uri, tenant, opaqueId, limits);
  }

  /**
   * The same.
   *
   * @param limits of this request
   */
  public RequestMemoryAccount openAccount(
      String method,
      String uri,
      @Nullable String tenant,
      String opaqueId,
      RequestMemoryLimits limits) {
    return new RequestMemoryAccount(this, method, uri, tenant, opaqueId, limits);
  }

  /** Opens the ledger of a request that has no name. */
  public RequestMemoryAccount openAccount(String method, String uri, @Nullable String tenant) {
    return openAccount(method, uri, tenant, "");
  }

  /** Has somebody hear why a client was refused memory; on any thread. */
  public void setRejectionListener(BiConsumer<RequestMemoryAccount, MemoryRejection> to) {
    listener = to;
  }

  void notifyRejection(RequestMemoryAccount whose, MemoryRejection why) {
    listener.accept(whose, why);
  }

  /** Bounds requests that come after this by another policy; what is held already stays. */
  public void updatePolicy(RequestMemoryPolicy next) {
    pools.reduce.limitBytes(next.maxTotalReduceBytes().bytes());
    limits = RequestMemoryLimits.forPolicy("", next);
  }

  /** The policy in force. */
  public RequestMemoryPolicy policy() {
    return limits.policy();
  }

  /** Answers as objects, and reductions, of all requests. */
  public MemoryPool reducePool() {
    return pools.reduce;
  }

  /** Bytes that all requests together hold for something; zero at rest. */
  public long usedBytes(Category item) {
    return usedBytes[item.ordinal()].sum();
  }

  /** Bytes that all requests together hold; zero at rest. */
  public long usedBytes() {
    long sum = 0;
    for (LongAdder one : usedBytes) {
      sum += one.sum();
    }
    return sum;
  }

  /** How often a request was refused by a bound. */
  public long rejections(LimitScope bound) {
    return rejectionCounter(bound).sum();
  }

  /** The newest refusals, the last one first. */
  public List<RecordedRejection> recentRejections() {
    synchronized (recentRejections) {
      return List.copyOf(recentRejections);
    }
  }

  /** The requests that hold most now, of those that hold over a megabyte. */
  public List<RequestUsage> largestRequests(int most) {
    List<RequestUsage> all = new ArrayList<>();
    for (RequestMemoryAccount one : largeAccounts) {
      all.add(one.usage());
    }
    all.sort(Comparator.comparingLong(RequestUsage::usedBytes).reversed());
    return List.copyOf(all.subList(0, Math.min(most, all.size())));
  }

  /** Tenants that hold something now. */
  int activeTenants() {
    return tenants.size();
  }

  MemoryPool poolFor(Category item) {
    return switch (item) {
      case BODY -> pools.bodies;
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> pools.responses;
      case DECODED_RESPONSES, REDUCTION -> pools.reduce;
    };
  }

  void addUsage(Category item, long bytes) {
    usedBytes[item.ordinal()].add(bytes);
  }

  void trackLarge(RequestMemoryAccount ledger, boolean is) {
    if (is) {
      largeAccounts.add(ledger);
    } else {
      largeAccounts.remove(ledger);
    }
  }

  /** A request of the tenant begins to hold something. */
  TenantMemory enterTenant(String tenant) {
    return tenants.compute(
        tenant,
        (name, known) -> {
          TenantMemory memory = known == null ? new TenantMemory() : known;
          memory.addRequest();
          return memory;
        });
  }

  /** A request of the tenant holds nothing any more. */
  void leaveTenant(String tenant) {
    tenants.computeIfPresent(tenant, (name, known) -> known.removeRequest() ? null : known);
  }

  /** Counts and keeps a refusal. */
  void recordRejection(RequestMemoryAccount by, LimitScope bound, MemoryRejection why) {
    rejectionCounter(bound).increment();
    synchronized (recentRejections) {
      if (recentRejections.size() == MAX_RECENT_REJECTIONS) {
        recentRejections.removeLast();
      }
      recentRejections.addFirst(
          new RecordedRejection(wallMillis.getAsLong(), by.requestSummary(), bound, why));
    }
    if (why.category() != Category.BODY) { // a body may do with less; who reads it knows
      notifyRejection(by, why);
    }
  }

  private LongAdder rejectionCounter(LimitScope bound) {
    LongAdder count = rejections.get(bound);
    if (count == null) {
      throw new IllegalStateException("got the bound " + bound + " (expected: a known one)");
    }
    return count;
  }
}
