package dev.weir.protocol;

import java.util.concurrent.atomic.AtomicLong;

/** The counters of one slot; written only by its event loop, read by any thread. */
final class SlotCounters {
  final AtomicLong sent = new AtomicLong();
  final AtomicLong zstdRequests = new AtomicLong();
  final AtomicLong responses = new AtomicLong();
  final AtomicLong timeouts = new AtomicLong();
  final AtomicLong rejections = new AtomicLong();
  final AtomicLong orphanedResponses = new AtomicLong();
  final AtomicLong bytesIn = new AtomicLong();
  final AtomicLong bytesOut = new AtomicLong();
  final AtomicLong connects = new AtomicLong();
  final AtomicLong connectFailures = new AtomicLong();
  final AtomicLong disconnects = new AtomicLong();
  final AtomicLong inFlight = new AtomicLong();
  final AtomicLong pending = new AtomicLong();

  /** Adds without a locked instruction, because there is only one writer. */
  static void add(AtomicLong counter, long more) {
    counter.setOpaque(counter.getPlain() + more);
  }
}
