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
public final class NodeBytes {
  private static final double BACK_WHEN_REFUSED = 0.7;
  private static final double FORTH = 0.01;

  /** The limit is never less than this part of the most that it may be. */
  private static final double LEAST = 1.0 / 16;

  /** Of what the node says that it takes: replicas and others' writes count there too. */
  private static final double OF_NODES_OWN = 0.4;

  private final String nodeId;
  private final Runnable freed;

  // guarded by this
  private final Set<Lease> waiting = new LinkedHashSet<>();
  private long most;
  private long nodesOwn;
  private double limit;
  private long underWay;
  private long granted;
  private long grantedWhenLowered;

  /**
   * Makes one with nothing under way.
   *
   * @param most bytes that it may have at most; more than 0
   * @param freed runs, without the lock, when there is room again
   */
  NodeBytes(String nodeId, long most, Runnable freed) {
    this.nodeId = nodeId;
    this.most = most;
    this.limit = most;
    this.freed = freed;
  }

  /** One piece's bytes: asked for, held, or given back. Safe on any thread. */
  public final class Lease {
    private final long bytes;
    private final Consumer<Lease> told;
    private long number;
    private boolean held;
    private boolean over;

    private Lease(long bytes, Consumer<Lease> told) {
      this.bytes = bytes;
      this.told = told;
    }

    /** Whether the bytes are held now. */
    public boolean held() {
      synchronized (NodeBytes.this) {
        return held && !over;
      }
    }

    /** The node has answered. Gives the bytes back; does nothing the second time. */
    public void answered() {
      end(this, End.ANSWERED, 0);
    }

    /**
     * The node refused it because it has too much. Gives the bytes back; does nothing the second
     * time.
     *
     * @param nodesLimit the bytes of writes that the node says it takes; 0 where it does not
     */
    public void refused(long nodesLimit) {
      end(this, End.REFUSED, nodesLimit);
    }

    /** Nobody waits for it any more. Gives the bytes back; does nothing the second time. */
    public void close() {
      end(this, End.GIVEN_UP, 0);
    }
  }

  private enum End {
    ANSWERED,
    REFUSED,
    GIVEN_UP
  }

  /**
   * Asks for bytes.
   *
   * @param told hears once of a lease that had to wait, when it is held, on whichever thread made
   *     room for it; perhaps before this returns, not if it was given back before
   */
  public Lease take(long bytes, Consumer<Lease> told) {
    Lease lease = new Lease(Math.max(0, bytes), told);
    synchronized (this) {
      if (waiting.isEmpty() && fits(lease)) {
        grant(lease);
      } else {
        waiting.add(lease);
      }
    }
    return lease;
  }

  private boolean fits(Lease lease) {
    return underWay == 0 || underWay + lease.bytes <= limit;
  }

  private void grant(Lease lease) {
    lease.held = true;
    lease.number = ++granted;
    underWay += lease.bytes;
  }

  private void end(Lease lease, End how, long nodesLimit) {
    List<Lease> next;
    synchronized (this) {
      if (lease.over) {
        return;
      }
      lease.over = true;
      if (lease.held) {
        underWay -= lease.bytes;
      } else {
        waiting.remove(lease);
      }
      learn(lease, how, nodesLimit);
      next = grantNext();
    }
    next.forEach(one -> one.told.accept(one));
    freed.run();
  }

  private void learn(Lease lease, End how, long nodesLimit) {
    switch (how) {
      case ANSWERED -> limit = Math.min(ceiling(), limit + FORTH * ceiling());
      case REFUSED -> {
        if (nodesLimit > 0) {
          nodesOwn = nodesLimit;
        }
        if (lease.number > grantedWhenLowered) {
          grantedWhenLowered = granted;
          limit *= BACK_WHEN_REFUSED;
        }
        limit = Math.clamp(limit, LEAST * ceiling(), ceiling());
      }
      case GIVEN_UP -> {
        // says nothing of the node
      }
    }
  }

  private double ceiling() {
    double may = (double) most;
    return nodesOwn == 0 ? may : Math.min(may, OF_NODES_OWN * nodesOwn);
  }

  private List<Lease> grantNext() {
    List<Lease> next = new ArrayList<>(0);
    for (Iterator<Lease> line = waiting.iterator(); line.hasNext(); ) {
      Lease first = line.next();
      if (!fits(first)) {
        break;
      }
      line.remove();
      grant(first);
      next.add(first);
    }
    return next;
  }

  /** May have so many from now on, at most. */
  void use(long bytes) {
    List<Lease> next;
    synchronized (this) {
      if (bytes == most) {
        return;
      }
      most = bytes;
      limit = ceiling();
      next = grantNext();
    }
    next.forEach(one -> one.told.accept(one));
    freed.run();
  }

  /** The node. */
  public String nodeId() {
    return nodeId;
  }

  /**
   * Whether more may be sent without waiting; one piece may then be more than there is room for.
   */
  public synchronized boolean hasRoom() {
    return waiting.isEmpty() && underWay < limit;
  }

  /** Bytes sent and not answered. */
  public synchronized long underWay() {
    return underWay;
  }

  /** Bytes that it may have now. */
  public synchronized long limit() {
    return (long) limit;
  }

  /** Pieces that wait. */
  public synchronized int waiting() {
    return waiting.size();
  }
}
