package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Limits the bytes of writes in flight to one node. Shard requests that do not fit wait in order of
 * arrival. A shard request above the limit is sent when nothing else is in flight, so that a
 * request waits only while others are in flight, and none waits forever.
 *
 * <p>A rejection by the node multiplies the limit by 0.7, once for all requests sent before it;
 * each response adds a hundredth of the maximum. Gateways that share a node converge to equal
 * shares of its capacity.
 *
 * <p>Safe on any thread; holds its lock for arithmetic only.
 */
public final class NodeWriteBytesLimiter {
  private static final double REJECTION_DECREASE_FACTOR = 0.7;
  private static final double INCREASE_RATIO = 0.01;

  /** The limit is at least this fraction of the maximum. */
  private static final double MIN_LIMIT_RATIO = 1.0 / 16;

  /**
   * The fraction of the node's own limit to use; that limit also covers replicas and other writers.
   */
  private static final double NODE_LIMIT_RATIO = 0.4;

  private final String nodeId;
  private final Runnable freedListener;

  // guarded by this
  private final Set<Lease> waiting = new LinkedHashSet<>();
  private long maxBytes;
  private long nodeLimitBytes;
  private double limitBytes;
  private long inFlightBytes;
  private long grants;
  private long grantsWhenLowered;

  /**
   * Creates a limiter with nothing in flight.
   *
   * @param maxBytes the maximum bytes in flight; more than 0
   * @param freedListener runs without the lock when there is capacity again
   */
  NodeWriteBytesLimiter(String nodeId, long maxBytes, Runnable freedListener) {
    this.nodeId = nodeId;
    this.maxBytes = maxBytes;
    this.limitBytes = maxBytes;
    this.freedListener = freedListener;
  }

  /** The bytes of one shard request: waiting, held, or released. Safe on any thread. */
  public final class Lease {
    private final long bytes;
    private final Consumer<Lease> grantListener;
    private long number;
    private boolean held;
    private boolean released;

    private Lease(long bytes, Consumer<Lease> grantListener) {
      this.bytes = bytes;
      this.grantListener = grantListener;
    }

    /** Returns whether the bytes are held. */
    public boolean isHeld() {
      synchronized (NodeWriteBytesLimiter.this) {
        return held && !released;
      }
    }

    /** Releases the bytes after a response. Has no effect the second time. */
    public void onResponse() {
      end(this, Outcome.COMPLETED, 0);
    }

    /**
     * Releases the bytes after the node rejected the request for its size. Has no effect the second
     * time.
     *
     * @param nodesLimit the node's own limit of bytes of writes; 0 if it does not report one
     */
    public void onRejection(long nodesLimit) {
      end(this, Outcome.REJECTED, nodesLimit);
    }

    /** Releases the bytes of a cancelled request. Has no effect the second time. */
    public void cancel() {
      end(this, Outcome.CANCELLED, 0);
    }
  }

  private enum Outcome {
    COMPLETED,
    REJECTED,
    CANCELLED
  }

  /**
   * Requests bytes; the lease may have to wait for them.
   *
   * @param grantListener called once when a lease that had to wait gets its bytes, on the thread
   *     that freed them and possibly before this method returns; not called for a lease that was
   *     released before
   */
  public Lease acquire(long bytes, Consumer<Lease> grantListener) {
    Lease lease = new Lease(Math.max(0, bytes), grantListener);
    synchronized (this) {
      if (waiting.isEmpty() && canGrant(lease)) {
        grant(lease);
      } else {
        waiting.add(lease);
      }
    }
    return lease;
  }

  private boolean canGrant(Lease lease) {
    return inFlightBytes == 0 || inFlightBytes + lease.bytes <= limitBytes;
  }

  private void grant(Lease lease) {
    lease.held = true;
    lease.number = ++grants;
    inFlightBytes += lease.bytes;
  }

  private void end(Lease lease, Outcome how, long nodesLimit) {
    List<Lease> next;
    synchronized (this) {
      if (lease.released) {
        return;
      }
      lease.released = true;
      if (lease.held) {
        inFlightBytes -= lease.bytes;
      } else {
        waiting.remove(lease);
      }
      adjustLimit(lease, how, nodesLimit);
      next = grantNext();
    }
    next.forEach(one -> one.grantListener.accept(one));
    freedListener.run();
  }

  private void adjustLimit(Lease lease, Outcome how, long nodesLimit) {
    switch (how) {
      case COMPLETED -> limitBytes = Math.min(ceiling(), limitBytes + INCREASE_RATIO * ceiling());
      case REJECTED -> {
        if (nodesLimit > 0) {
          nodeLimitBytes = nodesLimit;
        }
        if (lease.number > grantsWhenLowered) {
          grantsWhenLowered = grants;
          limitBytes *= REJECTION_DECREASE_FACTOR;
        }
        limitBytes = Math.clamp(limitBytes, MIN_LIMIT_RATIO * ceiling(), ceiling());
      }
      case CANCELLED -> {
        // a cancelled request tells nothing about the node
      }
    }
  }

  private double ceiling() {
    double may = (double) maxBytes;
    return nodeLimitBytes == 0 ? may : Math.min(may, NODE_LIMIT_RATIO * nodeLimitBytes);
  }

  private List<Lease> grantNext() {
    List<Lease> next = new ArrayList<>(0);
    for (Iterator<Lease> iterator = waiting.iterator(); iterator.hasNext(); ) {
      Lease first = iterator.next();
      if (!canGrant(first)) {
        break;
      }
      iterator.remove();
      grant(first);
      next.add(first);
    }
    return next;
  }

  /** Changes the maximum bytes in flight. */
  void setMaxBytes(long bytes) {
    List<Lease> next;
    synchronized (this) {
      if (bytes == maxBytes) {
        return;
      }
      maxBytes = bytes;
      limitBytes = ceiling();
      next = grantNext();
    }
    next.forEach(one -> one.grantListener.accept(one));
    freedListener.run();
  }

  public String nodeId() {
    return nodeId;
  }

  /**
   * Returns whether another request may be sent without waiting. A single request may exceed the
   * limit.
   */
  public synchronized boolean hasCapacity() {
    return waiting.isEmpty() && inFlightBytes < limitBytes;
  }

  /** Returns the bytes sent without a response yet. */
  public synchronized long inFlightBytes() {
    return inFlightBytes;
  }

  /** Returns the current limit in bytes. */
  public synchronized long limitBytes() {
    return (long) limitBytes;
  }

  /** Returns the number of waiting shard requests. */
  public synchronized int waiting() {
    return waiting.size();
  }
}
