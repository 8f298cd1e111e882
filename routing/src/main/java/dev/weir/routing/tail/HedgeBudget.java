package dev.weir.routing.tail;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The budget of hedged requests: a fraction of the first requests, with a burst. Safe on any
 * thread.
 *
 * <p>Half of the burst is reserved for stalled nodes, so that tokens are left when a node stops
 * responding. While no first request comes, because all clients wait for stalled nodes, no token is
 * earned: then ten requests a second to such nodes need none.
 *
 * <p>A request that another node answers while the stalled one still does not gives its token back:
 * so the requests that were caught by a stall are bounded in their number at a time, and none of
 * them waits for as long as the stall lasts.
 *
 * <p>A tenth of the burst is also the number of searches that may start over at a time without
 * tokens. Where other nodes are healthy, each ends soon and makes room for the next, so that none
 * waits for as long as a stall lasts. Where they are slow too, the work that comes on top stays
 * bounded.
 */
public final class HedgeBudget {
  private static final long IDLE_INTERVAL_NANOS = 100_000_000;

  /** There is a place without tokens for so many tokens of the burst. */
  private static final int BURST_PER_PLACE = 10;

  private final double share;
  private final double burst;
  private final LongSupplier nanoTime;

  /** Searches that may start over at a time without tokens. */
  private final int places;

  private int takenPlaces;
  private double tokens;

  /** When the last request went. */
  private long lastProgressNanos;

  /**
   * Creates a full budget.
   *
   * @param share the tokens for each first request
   * @param burst the maximum number of tokens
   * @param nanoTime the monotonic clock
   */
  public HedgeBudget(double share, double burst, LongSupplier nanoTime) {
    this.share = share;
    this.burst = burst;
    this.nanoTime = nanoTime;
    this.places = (int) Math.max(1, burst / BURST_PER_PLACE);
    this.lastProgressNanos = nanoTime.getAsLong();
    this.tokens = burst;
  }

  /** Adds the tokens for a first request. */
  public synchronized void deposit() {
    tokens = Math.min(burst, tokens + share);
    lastProgressNanos = nanoTime.getAsLong();
  }

  /** Takes a token for a late request, if at least half of the burst is left. */
  public synchronized boolean tryWithdrawForLate() {
    return tryWithdraw(1, burst / 2);
  }

  /** Takes a token for a request to a stalled node, if one is left. */
  public synchronized boolean tryWithdrawForStall() {
    return tryWithdraw(1, 1) || tryGoOn();
  }

  /** Gives a token back: its request was answered while the stalled node still is not. */
  public synchronized void refund() {
    tokens = Math.min(burst, tokens + 1);
  }

  /**
   * Permits a search to start over because of a stalled node. Takes a token for each shard, at most
   * half of the burst, if that leaves half of the burst, which is for hedged requests to stalled
   * nodes. Without tokens it takes one of few places until it ends.
   *
   * @param shards the number of its shards
   * @return null if the search has to wait
   */
  public synchronized @Nullable RestartPermit tryRestart(int shards) {
    double count = Math.clamp(shards, 1, Math.max(1, burst / 2));
    if (tryWithdraw(count, Math.min(burst, count + burst / 2))) {
      return RestartPermit.PAID;
    }
    if (takenPlaces < places) {
      takenPlaces++;
      return new Place();
    }
    return tryGoOn() ? RestartPermit.PAID : null;
  }

  /** Returns the number of searches that started over without tokens and have not ended. */
  public synchronized int unpaidRestarts() {
    return takenPlaces;
  }

  private synchronized void leavePlace() {
    takenPlaces--;
  }

  /** The place of one search. */
  private final class Place implements RestartPermit {
    private final AtomicBoolean left = new AtomicBoolean();

    @Override
    public void end() {
      if (left.compareAndSet(false, true)) {
        leavePlace();
      }
    }
  }

  /** Returns the remaining tokens. */
  public synchronized double tokens() {
    return tokens;
  }

  /** Returns true for one request if nothing has gone on for a while. */
  private boolean tryGoOn() {
    long now = nanoTime.getAsLong();
    if (now - lastProgressNanos < IDLE_INTERVAL_NANOS) {
      return false;
    }
    lastProgressNanos = now;
    return true;
  }

  private boolean tryWithdraw(double count, double least) {
    if (tokens < Math.max(count, least)) {
      return false;
    }
    tokens -= count;
    lastProgressNanos = nanoTime.getAsLong();
    return true;
  }
}
