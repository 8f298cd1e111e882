package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The bytes of writes that one node has under way, and how many it may have. What has no room waits
 * in the order in which it came; a piece that is larger than the limit goes when nothing else is
 * under way. So something waits only while something is under way, whose end lets it go: nothing
 * waits for ever.
 *
 * <p>A refusal of the node takes the limit to 0.7 of itself, once for all that was sent before it
 * was lowered; each answer adds a hundredth of the most that it may be. Gateways that share a node
 * so come to share it.
 *
 * <p>Safe on any thread; its lock is held for arithmetic alone.
 */
public final class NodeWriteBytesLimiter {
  private static final double REJECTION_DECREASE_FACTOR = 0.7;
  private static final double INCREASE_RATIO = 0.01;

  /** The limit is never less than this part of the most that it may be. */
  private static final double MIN_LIMIT_RATIO = 1.0 / 16;

  /** Of what the node says that it takes: replicas and others' writes count there too. */
  private static final double NODE_LIMIT_RATIO = 0.4;

  private final String nodeId;
  private final Runnable freedListener;

  // guarded by this
  private final Set<Lease> waiting = new LinkedHashSet<>();
  private long maxBytes;
  private long nodeLimitBytes;
  private double limitBytes;
  private long inFlightBytes;
  private long grantedBytes;
  private long grantedWhenLowered;

  /**
   * Makes one with nothing under way.
   *
   * @param most bytes that it may have at most; more than 0
   * @param freed runs, without the lock, when there is room again
   */
  NodeWriteBytesLimiter(String nodeId, long most, Runnable freed) {
    this.nodeId = nodeId;
    this.maxBytes = most;
    this.limitBytes = most;
    this.freedListener = freed;
  }

  /** One piece's bytes: asked for, held, or given back. Safe on any thread. */
  public final class Lease {
    private final long bytes;
    private final Consumer<Lease> grantListener;
    private long number;
    private boolean held;
    private boolean released;

    private Lease(long bytes, Consumer<Lease> told) {
      this.bytes = bytes;
      this.grantListener = told;
    }

    /** Whether the bytes are held now. */
    public boolean isHeld() {
      synchronized (NodeWriteBytesLimiter.this) {
        return held && !released;
      }
    }

    /** The node has answered. Gives the bytes back; does nothing the second time. */
    public void onResponse() {
      end(this, Outcome.COMPLETED, 0);
    }

    /**
     * The node refused it because it has too much. Gives the bytes back; does nothing the second
     * time.
     *
     * @param nodesLimit the bytes of writes that the node says it takes; 0 where it does not
     */
    public void onRejection(long nodesLimit) {
      end(this, Outcome.REJECTED, nodesLimit);
    }

    /** Nobody waits for it any more. Gives the bytes back; does nothing the second time. */
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
   * Asks for bytes.
   *
   * @param told hears once of a lease that had to wait, when it is held, on whichever thread made
   *     room for it; perhaps before this returns, not if it was given back before
   */
  public Lease acquire(long bytes, Consumer<Lease> told) {
    Lease lease = new Lease(Math.max(0, bytes), told);
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
    lease.number = ++grantedBytes;
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
        if (lease.number > grantedWhenLowered) {
          grantedWhenLowered = grantedBytes;
          limitBytes *= REJECTION_DECREASE_FACTOR;
        }
        limitBytes = Math.clamp(limitBytes, MIN_LIMIT_RATIO * ceiling(), ceiling());
      }
      case CANCELLED -> {
        // says nothing of the node
      }
    }
  }

  private double ceiling() {
    double may = (double) maxBytes;
    return nodeLimitBytes == 0 ? may : Math.min(may, NODE_LIMIT_RATIO * nodeLimitBytes);
  }

  private List<Lease> grantNext() {
    List<Lease> next = new ArrayList<>(0);
    for (Iterator<Lease> line = waiting.iterator(); line.hasNext(); ) {
      Lease first = line.next();
      if (!canGrant(first)) {
        break;
      }
      line.remove();
      grant(first);
      next.add(first);
    }
    return next;
  }

  /** May have so many from now on, at most. */
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

  /** The node. */
  public String nodeId() {
    return nodeId;
  }

  /**
   * Whether more may be sent without waiting; one piece may then be more than there is room for.
   */
  public synchronized boolean hasCapacity() {
    return waiting.isEmpty() && inFlightBytes < limitBytes;
  }

  /** Bytes sent and not answered. */
  public synchronized long inFlightBytes() {
    return inFlightBytes;
  }

  /** Bytes that it may have now. */
  public synchronized long limitBytes() {
    return (long) limitBytes;
  }

  /** Pieces that wait. */
  public synchronized int waiting() {
    return waiting.size();
  }
}
