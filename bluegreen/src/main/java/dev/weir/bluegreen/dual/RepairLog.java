package dev.weir.bluegreen.dual;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of writes that the other cluster may lack: lines of JSON in a directory. An append
 * completes after a sync to disk. A separate thread writes and batches entries that arrive while
 * the disk is busy. Entries beyond the bound of pending bytes are rejected, and so are all entries
 * for a moment after a failure. Safe on any thread; an append never blocks.
 */
public final class RepairLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLog.class);
  private static final long CLOSE_MILLIS = 5000;

  /** The bound of pending bytes. */
  static final long MAX_PENDING_BYTES = 16L << 20;

  /** The pause after a failure: no write is tried and no further failure is logged. */
  static final Duration FAILURE_BACKOFF = Duration.ofSeconds(1);

  private final LinkedBlockingQueue<Batch> queue = new LinkedBlockingQueue<>();
  private final RollingRepairLogFile files;
  private final LongSupplier nanoClock;
  private final Thread writer;
  private final AtomicLong lastLoggedNanos;
  private long pendingBytes;
  private boolean closed;
  private @Nullable IOException lastFailure;
  private long failedNanos;

  /** Entries of one append; null lines stop the writer. */
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
   * Opens a log; it creates no file before the first entry.
   *
   * @param files where the log is written
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
   * @param done is called once, on this or another thread: with null when the entries are on disk,
   *     otherwise with the failure
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
        refused = "the disk has not written the pending " + pendingBytes + " bytes";
      } else {
        pendingBytes += lines.length;
        queue.add(new Batch(lines, done));
        return;
      }
    }
    reportFailure(new IOException(refused), done);
  }

  private void write() {
    List<Batch> batches = new ArrayList<>();
    while (true) {
      batches.clear();
      try {
        batches.add(queue.take());
      } catch (InterruptedException e) {
        continue; // close() ends the thread by a batch with null lines
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
        batch.callback().accept(failure);
      } catch (Throwable e) { // the thread must continue: all appends depend on it
        LOG.error("the callback of a repair log append failed", e);
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
    } catch (Throwable e) { // the thread must continue: all appends depend on it
      IOException failure = e instanceof IOException io ? io : new IOException(e);
      lastFailure = failure;
      failedNanos = nanoClock.getAsLong();
      logFailure(failure);
    }
    return lastFailure;
  }

  private void reportFailure(IOException why, Consumer<@Nullable IOException> done) {
    logFailure(why);
    done.accept(why);
  }

  private void logFailure(IOException why) {
    long now = nanoClock.getAsLong();
    long last = lastLoggedNanos.get();
    if (now - last < FAILURE_BACKOFF.toNanos() || !lastLoggedNanos.compareAndSet(last, now)) {
      return;
    }
    LOG.error(
        "can't write the repair log in {}; the entries are lost to a repair: {}",
        files.directory(),
        why.toString());
  }

  /** Writes the pending entries and stops. */
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
