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
 * Accounts for the memory of all requests in three pools: bodies, responses, and reductions
 * (decoded node responses and what is computed from them). Opens a {@link RequestMemoryAccount} for
 * each request. Safe on any thread.
 *
 * <p>One request, or one tenant, may hold at most {@code a} times the free bytes of a pool, with
 * {@code a = ratio / (1 - ratio)}: {@code ratio} of the pool when alone, and less beside others, so
 * that requests that hold little always find memory. The first 32nd of a pool is exempt.
 */
public final class GatewayMemory {
  /** The number of rejections kept for the admin pages. */
  public static final int MAX_RECENT_REJECTIONS = 20;

  private final Pools pools;
  private final MemoryWaitQueue responseWaits = new MemoryWaitQueue();
  private final MemoryWaitQueue reduceWaits = new MemoryWaitQueue();
  private final LongSupplier wallMillis;
  private final LongAdder[] usedBytes = new LongAdder[Category.values().length];
  private final Map<MemoryLimitScope, LongAdder> rejections = new EnumMap<>(MemoryLimitScope.class);
  private final Set<RequestMemoryAccount> largeAccounts = ConcurrentHashMap.newKeySet();
  private final Map<String, TenantMemory> tenants = new ConcurrentHashMap<>();
  private final ArrayDeque<RecordedRejection> recentRejections =
      new ArrayDeque<>(MAX_RECENT_REJECTIONS);
  private volatile RequestMemoryLimits limits;
  private volatile BiConsumer<RequestMemoryAccount, MemoryRejection> listener =
      (account, rejection) -> {};
  private volatile Runnable onResponseWait = () -> {};

  /**
   * The pools that all requests share.
   *
   * @param bodies request bodies
   * @param responses parsed bodies, node responses and client responses
   * @param reduce decoded node responses and reductions
   */
  public record Pools(MemoryPool bodies, MemoryPool responses, MemoryPool reduce) {
    /** Creates the pool of reductions with a policy's limit. */
    public static Pools of(RequestMemoryPolicy policy, MemoryPool bodies, MemoryPool responses) {
      return new Pools(bodies, responses, new MemoryPool(policy.maxTotalReduceBytes().bytes()));
    }
  }

  /**
   * A rejection kept for the admin pages.
   *
   * @param atMillis wall clock time
   * @param request its method and path
   * @param rejection includes the memory bill
   */
  public record RecordedRejection(
      long atMillis, String request, MemoryLimitScope scope, MemoryRejection rejection) {}

  /**
   * The memory of one request.
   *
   * @param request its method and path
   * @param usedBytes held now
   * @param peakBytes the most held so far
   * @param bill bytes by category, the largest first
   */
  public record RequestUsage(String request, long usedBytes, long peakBytes, List<String> bill) {}

  /**
   * Creates the accounts of a gateway, with nothing held.
   *
   * @param wallMillis the wall clock, in milliseconds
   */
  public GatewayMemory(RequestMemoryPolicy policy, Pools pools, LongSupplier wallMillis) {
    this.limits = RequestMemoryLimits.forPolicy("", policy);
    this.pools = pools;
    this.wallMillis = wallMillis;
    pools.responses.setReleaseListener(responseWaits::grant);
    pools.reduce.setReleaseListener(reduceWaits::grant);
    for (Category item : Category.values()) {
      usedBytes[item.ordinal()] = new LongAdder();
    }
    for (MemoryLimitScope bound : MemoryLimitScope.values()) {
      rejections.put(bound, new LongAdder());
    }
  }

  /**
   * Opens the account of a request, with nothing reserved.
   *
   * @param tenant null for a request without one
   * @param opaqueId the client's {@code X-Opaque-Id}; empty for none
   */
  public RequestMemoryAccount openAccount(
      String method, String uri, @Nullable String tenant, String opaqueId) {
    return openAccount(method, uri, tenant, opaqueId, limits);
  }

  /** Opens the account of a request with limits of its own. */
  public RequestMemoryAccount openAccount(
      String method,
      String uri,
      @Nullable String tenant,
      String opaqueId,
      RequestMemoryLimits limits) {
    return new RequestMemoryAccount(this, method, uri, tenant, opaqueId, limits);
  }

  /** Opens the account of a request without an {@code X-Opaque-Id}. */
  public RequestMemoryAccount openAccount(String method, String uri, @Nullable String tenant) {
    return openAccount(method, uri, tenant, "");
  }

  /** Sets the listener of rejections that clients see. Called on any thread. */
  public void setRejectionListener(BiConsumer<RequestMemoryAccount, MemoryRejection> to) {
    listener = to;
  }

  void notifyRejection(RequestMemoryAccount account, MemoryRejection rejection) {
    listener.accept(account, rejection);
  }

  /**
   * Sets a listener that runs when a request is about to wait for memory for responses. Called on
   * any thread, without a lock.
   */
  public void setResponseWaitListener(Runnable to) {
    onResponseWait = to;
  }

  void notifyWait(MemoryRejection deferred) {
    if (isResponseMemory(deferred.category()) && !deferred.permanent()) {
      onResponseWait.run();
    }
  }

  /** Applies another policy to requests that start later. Bytes that are already held stay held. */
  public void updatePolicy(RequestMemoryPolicy next) {
    pools.reduce.setLimitBytes(next.maxTotalReduceBytes().bytes());
    limits = RequestMemoryLimits.forPolicy("", next);
  }

  /** Returns the policy in force. */
  public RequestMemoryPolicy policy() {
    return limits.policy();
  }

  /** Returns the pool of decoded node responses and reductions. */
  public MemoryPool reducePool() {
    return pools.reduce;
  }

  /** Returns the bytes that all requests hold in a category; zero at rest. */
  public long usedBytes(Category item) {
    return usedBytes[item.ordinal()].sum();
  }

  /** Returns the bytes that all requests hold; zero at rest. */
  public long usedBytes() {
    long sum = 0;
    for (LongAdder one : usedBytes) {
      sum += one.sum();
    }
    return sum;
  }

  /** Returns the number of reservations that a limit rejected. */
  public long rejections(MemoryLimitScope bound) {
    return rejectionCounter(bound).sum();
  }

  /** Returns the newest rejections, the last one first. */
  public List<RecordedRejection> recentRejections() {
    synchronized (recentRejections) {
      return List.copyOf(recentRejections);
    }
  }

  /** Returns the requests that hold the most memory, among those that hold more than a megabyte. */
  public List<RequestUsage> largestRequests(int maxRequests) {
    List<RequestUsage> all = new ArrayList<>();
    for (RequestMemoryAccount one : largeAccounts) {
      all.add(one.usage());
    }
    all.sort(Comparator.comparingLong(RequestUsage::usedBytes).reversed());
    return List.copyOf(all.subList(0, Math.min(maxRequests, all.size())));
  }

  /** Returns the number of tenants that hold memory now. */
  int activeTenants() {
    return tenants.size();
  }

  /** Returns whether a category counts in the pool of responses, which slow readers hold. */
  public boolean isResponseMemory(Category item) {
    return switch (item) {
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> true;
      case BODY, DECODED_RESPONSES, REDUCTION -> false;
    };
  }

  MemoryPool poolFor(Category item) {
    return switch (item) {
      case BODY -> pools.bodies;
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> pools.responses;
      case DECODED_RESPONSES, REDUCTION -> pools.reduce;
    };
  }

  /** Returns the queue for memory of a category; null for bodies, which do not wait. */
  @Nullable MemoryWaitQueue waitQueue(Category item) {
    return switch (item) {
      case BODY -> null;
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> responseWaits;
      case DECODED_RESPONSES, REDUCTION -> reduceWaits;
    };
  }

  /** Returns the configuration key that sets the size of a category's pool. */
  static String limitKey(Category item) {
    return switch (item) {
      case BODY -> "admission.max-total-body-bytes";
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> "admission.max-total-response-bytes";
      case DECODED_RESPONSES, REDUCTION -> "admission.request-memory.max-total-reduce-bytes";
    };
  }

  /** Returns whether requests wait for memory for responses. */
  public boolean isAwaitingResponseMemory() {
    return responseWaits.waiting() > 0;
  }

  /** Returns the number of requests that wait for memory. */
  public int waitingRequests() {
    return responseWaits.waiting() + reduceWaits.waiting();
  }

  /** Returns the number of requests that got memory after a wait. */
  public long grantedWaits() {
    return responseWaits.granted() + reduceWaits.granted();
  }

  void addUsage(Category item, long bytes) {
    usedBytes[item.ordinal()].add(bytes);
  }

  void trackLarge(RequestMemoryAccount account, boolean is) {
    if (is) {
      largeAccounts.add(account);
    } else {
      largeAccounts.remove(account);
    }
  }

  /** Counts a request of the tenant that starts to hold memory. */
  TenantMemory enterTenant(String tenant) {
    return tenants.compute(
        tenant,
        (name, known) -> {
          TenantMemory memory = known == null ? new TenantMemory() : known;
          memory.addRequest();
          return memory;
        });
  }

  /** Removes a request of the tenant that holds no more memory. */
  void leaveTenant(String tenant) {
    tenants.computeIfPresent(tenant, (name, known) -> known.removeRequest() ? null : known);
  }

  /** Counts a rejection and keeps it for the admin pages. */
  void recordRejection(
      RequestMemoryAccount account, MemoryLimitScope bound, MemoryRejection rejection) {
    rejectionCounter(bound).increment();
    synchronized (recentRejections) {
      if (recentRejections.size() == MAX_RECENT_REJECTIONS) {
        recentRejections.removeLast();
      }
      recentRejections.addFirst(
          new RecordedRejection(
              wallMillis.getAsLong(), account.requestSummary(), bound, rejection));
    }
    if (rejection.category() != Category.BODY) { // the body may still be streamed or pass through
      notifyRejection(account, rejection);
    }
  }

  private LongAdder rejectionCounter(MemoryLimitScope bound) {
    LongAdder count = rejections.get(bound);
    if (count == null) {
      throw new IllegalStateException("got the bound " + bound + " (expected: a known one)");
    }
    return count;
  }
}
