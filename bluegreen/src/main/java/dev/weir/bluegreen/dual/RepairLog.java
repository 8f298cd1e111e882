package dev.weir.bluegreen.dual;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of what the other cluster may not have, in a directory: lines of JSON, each on disk
 * before whoever appended it hears of it. A thread of its own writes; what comes while the disk is
 * busy goes there together. What there is no room for meanwhile is refused; so is, for a moment,
 * whatever comes after a failure. Safe on any thread; never blocks whoever appends.
 */
public final class RepairLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLog.class);
  private static final long CLOSE_MILLIS = 5000;

  /** So many bytes wait for the disk at most. */
  static final long MAX_PENDING_BYTES = 16L << 20;

  /** So long after a failure the disk is left alone, and nothing is said of further ones. */
  static final Duration FAILURE_BACKOFF = Duration.ofSeconds(1);

  private final LinkedBlockingQueue<Batch> queue = new LinkedBlockingQueue<>();
  private final LongAdder failures = new LongAdder();
  private final RollingRepairLogFile files;
  private final LongSupplier nanoClock;
  private final Thread writer;
  private final AtomicLong lastLoggedNanos;
  private long pendingBytes;
  private boolean closed;
  private @Nullable IOException lastFailure;
  private long failedNanos;

  /** Entries that were appended together; null lines end the writer. */
  private static final class Batch {
    private final byte @Nullable [] lines;
    private final Consumer<@Nullable IOException> callback;

    Batch(byte @Nullable [] lines, Consumer<@Nullable IOException> done) {
      this.lines = lines;
      this.callback = done;
    }

    byte @Nullable [] lines() {
      return lines;
    }

    Consumer<@Nullable IOException> callback() {
      return callback;
    }
  }

  /**
   * Opens a log; nothing is made on disk before there is an entry.
   *
   * @param files where it is written
   * @param nanoClock a monotonic clock, nanoseconds
   */
  public RepairLog(RollingRepairLogFile files, LongSupplier nanoClock) {
    this.files = files;
    this.nanoClock = nanoClock;
    this.lastLoggedNanos = new AtomicLong(nanoClock.getAsLong() - FAILURE_BACKOFF.toNanos());
    this.writer = Thread.ofPlatform().daemon().name("weir-repair-log").start(this::write);
  }

  /**
   * Appends entries.
   *
   * @param done hears once, on another thread or on this one: null when they are on disk, else why
   *     they are not
   */
  void append(List<? extends RepairEntry> entries, Consumer<@Nullable IOException> done) {
    byte[] lines;
    try {
      ByteArrayOutputStream text = new ByteArrayOutputStream(entries.size() * 320);
      for (RepairEntry entry : entries) {
        text.writeBytes(entry.toLine());
      }
      lines = text.toByteArray();
    } catch (RuntimeException unwritable) {
      reportFailure(new IOException("an entry can't be written as JSON", unwritable), done);
      return;
    }
    String refused;
    synchronized (this) {
      if (closed) {
        refused = "the repair log is closed";
      } else if (pendingBytes > 0 && pendingBytes + lines.length > MAX_PENDING_BYTES) {
        refused = "the disk has not taken the " + pendingBytes + " bytes before";
      } else {
        pendingBytes += lines.length;
        queue.add(new Batch(lines, done));
        return;
      }
    }
    reportFailure(new IOException(refused), done);
  }

  /** How often entries could not be written. */
  public long failures() {
    return failures.sum();
  }

  private void write() {
    List<Batch> batches = new ArrayList<>();
    while (true) {
      batches.clear();
      try {
        batches.add(queue.take());
      } catch (InterruptedException e) {
        continue; // it is ended by a batch
      }
      queue.drainTo(batches);
      boolean last = batches.removeIf(batch -> batch.lines() == null);
      if (!batches.isEmpty()) {
        write(batches);
      }
      if (last) {
        files.close();
        return;
      }
    }
  }

  private void write(List<Batch> batches) {
    IOException failure = writeToDisk(batches);
    synchronized (this) {
      for (Batch batch : batches) {
        byte[] lines = batch.lines();
        pendingBytes -= lines == null ? 0 : lines.length;
      }
    }
    for (Batch batch : batches) {
      try {
        if (failure != null) {
          failures.increment();
        }
        batch.callback().accept(failure);
      } catch (Throwable e) { // the thread must go on: everybody waits for it
        LOG.error("who appended to the repair log failed when told so", e);
      }
    }
  }

  private @Nullable IOException writeToDisk(List<Batch> batches) {
    IOException before = lastFailure;
    if (before != null && nanoClock.getAsLong() - failedNanos < FAILURE_BACKOFF.toNanos()) {
      return before;
    }
    lastFailure = null;
    try {
      files.write(batches.stream().map(Batch::lines).toList());
    } catch (Throwable e) { // the thread must go on: everybody waits for it
      IOException failure = e instanceof IOException io ? io : new IOException(e);
      lastFailure = failure;
      failedNanos = nanoClock.getAsLong();
      logFailure(failure);
    }
    return lastFailure;
  }

  private void reportFailure(IOException why, Consumer<@Nullable IOException> done) {
    failures.increment();
    logFailure(why);
    done.accept(why);
  }

  private void logFailure(IOException why) {
    long now = nanoClock.getAsLong();
    long told = lastLoggedNanos.get();
    if (now - told < FAILURE_BACKOFF.toNanos() || !lastLoggedNanos.compareAndSet(told, now)) {
      return;
    }
    LOG.error(
        "the repair log in {} can't be written; what another cluster does not have is not kept: {}",
        files.directory(),
        why.toString());
  }

  /** Writes what was appended, and ends. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      queue.add(new Batch(null, failure -> {}));
    }
    try {
      writer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
