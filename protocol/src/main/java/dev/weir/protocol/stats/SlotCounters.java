package dev.weir.protocol.stats;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of one slot, written only by its event loop; or the totals of closed slots, written
 * only under a lock. Read by any thread.
 */
public final class SlotCounters {
  public final AtomicLong sent = new AtomicLong();
  public final AtomicLong zstdRequests = new AtomicLong();
  public final AtomicLong responses = new AtomicLong();
  public final AtomicLong timeouts = new AtomicLong();
  public final AtomicLong rejections = new AtomicLong();
  public final AtomicLong orphanedResponses = new AtomicLong();
  public final AtomicLong bytesIn = new AtomicLong();
  public final AtomicLong bytesOut = new AtomicLong();
  public final AtomicLong connects = new AtomicLong();
  public final AtomicLong connectFailures = new AtomicLong();
  public final AtomicLong disconnects = new AtomicLong();
  public final AtomicLong inFlight = new AtomicLong();
  public final AtomicLong pending = new AtomicLong();

  /** Adds without a locked instruction, because there is only one writer. */
  public static void add(AtomicLong counter, long more) {
    counter.setOpaque(counter.getPlain() + more);
  }

  /** Adds the totals of a closed slot, which has no calls left. */
  public void addTotals(SlotCounters closed) {
    add(sent, closed.sent.getOpaque());
    add(zstdRequests, closed.zstdRequests.getOpaque());
    add(responses, closed.responses.getOpaque());
    add(timeouts, closed.timeouts.getOpaque());
    add(rejections, closed.rejections.getOpaque());
    add(orphanedResponses, closed.orphanedResponses.getOpaque());
    add(bytesIn, closed.bytesIn.getOpaque());
    add(bytesOut, closed.bytesOut.getOpaque());
    add(connects, closed.connects.getOpaque());
    add(connectFailures, closed.connectFailures.getOpaque());
    add(disconnects, closed.disconnects.getOpaque());
  }
}
