package dev.weir.bluegreen.intent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intents of this process, in one file of a directory that several processes may share. A
 * thread writes what has arrived while it wrote before, so an intent waits for one other write at
 * most. A recorded intent survives the end of the process, and a crash of the machine if it was
 * recorded with a sync. Clearing an intent does not wait, and wakes no thread: the next intent that
 * is recorded takes it along, or the thread after {@link #CLEAR_DELAY}. So the end of the process
 * may bring back intents that were cleared just before.
 *
 * <pre>
 *   +7 {"time":...}     intent 7 with its payload
 *   -7 9                intents 7 and 9 are cleared
 * </pre>
 *
 * <p>An intent is cleared when its work is done, or abandoned when another log has to take over
 * what is left of it.
 *
 * <p>When the file is full, a new one begins with the open intents, and the file before goes: the
 * log never takes more than {@link #MAX_FILE_BYTES}, or twice the open intents, plus a new file.
 * After a failure all intents of a moment fail at once. Safe on any thread; never blocks.
 */
public final class IntentLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IntentLog.class);
  private static final long CLOSE_MILLIS = 5000;

  /** How long a cleared intent may stay in the file. */
  static final Duration CLEAR_DELAY = Duration.ofMillis(100);

  /** The size in bytes from which a new file begins. */
  static final long MAX_FILE_BYTES = 16L << 20;

  /** The bound of open intents, in bytes; the heap holds their lines too. */
  static final long MAX_OPEN_BYTES = 64L << 20;

  /** The maximum of abandoned intents that are handed over at a time. */
  private static final int MAX_HANDED_OVER = 1000;

  /** The pause after a failure: no write is tried and no further failure is logged. */
  static final Duration FAILURE_BACKOFF = Duration.ofSeconds(1);

  private final Path directory;
  private final LongSupplier nanoClock;
  private final long maxFileBytes;
  private final String namePrefix;
  private final LinkedBlockingQueue<Command> queue = new LinkedBlockingQueue<>();

  /** The numbers of cleared intents that the writer has not seen. */
  private final Queue<Long> cleared = new ConcurrentLinkedQueue<>();

  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong openBytes = new AtomicLong();
  private final Thread writer;
  private volatile boolean closed;

  /** Whether the writer takes no further commands. */
  private volatile boolean writerEnded;

  private volatile int openCount;

  // Of the writer.
  private final Map<Long, Begin> open = new LinkedHashMap<>();

  /** Open intents, by number, whose work is over; the writer adds, and who takes over removes. */
  private final ConcurrentNavigableMap<Long, Begin> abandoned = new ConcurrentSkipListMap<>();

  private final List<Long> unwrittenEnds = new ArrayList<>();
  private @Nullable IntentFile file;
  private int filesCreated;
  private @Nullable IOException lastFailure;
  private long failedNanos;

  private sealed interface Command {}

  /** A recorded intent. */
  private static final class Begin implements Command {
    final long number;
    final byte[] line;
    final boolean sync;
    final Consumer<@Nullable IOException> done;

    Begin(long number, byte[] line, boolean sync, Consumer<@Nullable IOException> done) {
      this.number = number;
      this.line = line;
      this.sync = sync;
      this.done = done;
    }

    byte[] payload() {
      int start = prefix(number).length;
      return Arrays.copyOfRange(line, start, line.length - 1);
    }

    static byte[] prefix(long number) {
      return ("+" + number + " ").getBytes(StandardCharsets.US_ASCII);
    }
  }

  private record Abandon(long number) implements Command {}

  private record Close() implements Command {}

  /**
   * Opens a log; it creates no file before the first intent.
   *
   * @param nanoClock a monotonic clock, nanoseconds
   */
  public IntentLog(Path directory, LongSupplier nanoClock) {
    this(directory, nanoClock, MAX_FILE_BYTES);
  }

  IntentLog(Path directory, LongSupplier nanoClock, long maxFileBytes) {
    this.directory = directory;
    this.nanoClock = nanoClock;
    this.maxFileBytes = maxFileBytes;
    this.namePrefix =
        "intents-"
            + System.currentTimeMillis()
            + "-"
            + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    this.writer = Thread.ofPlatform().daemon().name("weir-intent-log").start(this::write);
  }

  /** The directory of the file. */
  public Path directory() {
    return directory;
  }

  /** How many intents are on disk and not cleared. */
  public int openCount() {
    return openCount;
  }

  /**
   * Records an intent.
   *
   * @param payload one line without a line feed
   * @param sync whether it is to survive a crash of the machine too
   * @param done is called once, on this or another thread: with null when it is recorded, otherwise
   *     with the failure
   * @return the number to {@link #clear}, also after a failure; 0 for an intent that was refused at
   *     once
   */
  public long record(byte[] payload, boolean sync, Consumer<@Nullable IOException> done) {
    long number = numbers.incrementAndGet();
    ByteArrayOutputStream line = new ByteArrayOutputStream(payload.length + 24);
    line.writeBytes(Begin.prefix(number));
    line.writeBytes(payload);
    line.write('\n');
    long held = openBytes.get();
    if (held > 0 && held + line.size() > MAX_OPEN_BYTES) {
      done.accept(new IOException(held + " bytes of intents are open"));
      return 0;
    }
    openBytes.addAndGet(line.size());
    queue.add(new Begin(number, line.toByteArray(), sync, done));
    if (writerEnded) { // checked after the addition: the writer may have ended just before it
      failPendingIntents();
      return 0;
    }
    return number;
  }

  /**
   * Clears an intent: its work is done, or was not begun.
   *
   * @param number as {@link #record} returned it; nothing happens for 0
   */
  public void clear(long number) {
    if (number != 0) { // the writer may hang, and never take what was not begun
      cleared.add(number);
    }
  }

  /**
   * Leaves an intent to {@link #takeOverAbandoned}: its work is over, and this log alone knows what
   * it left to do. The intent stays open until then, also beyond the end of the process.
   *
   * @param number as {@link #record} returned it; nothing happens for 0
   */
  public void abandon(long number) {
    if (number != 0) {
      queue.add(new Abandon(number));
    }
  }

  /**
   * Hands over the abandoned intents, some at a time, and clears those that were taken. Blocks for
   * as long as the recipient does; called by one thread at a time.
   *
   * @return how many intents were handed over
   * @throws IOException as the recipient does: the intents that it did not take stay
   */
  public int takeOverAbandoned(OrphanedIntents.Recipient recipient) throws IOException {
    int count = 0;
    long last = numbers.get();
    while (true) {
      List<Begin> some =
          abandoned.headMap(last, true).values().stream().limit(MAX_HANDED_OVER).toList();
      if (some.isEmpty()) {
        return count;
      }
      recipient.accept(some.stream().map(Begin::payload).toList());
      for (Begin begin : some) {
        abandoned.remove(begin.number);
        clear(begin.number);
      }
      count += some.size();
    }
  }

  private void write() {
    List<Command> batch = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    while (true) {
      batch.clear();
      ends.clear();
      try {
        Command first = nextCommand();
        if (first != null) {
          batch.add(first);
        }
      } catch (InterruptedException e) {
        continue; // close() ends the thread by a command
      }
      takeCleared(ends); // before the commands, so that these have what was begun before it ended
      queue.drainTo(batch);
      write(batch, ends);
      if (batch.stream().anyMatch(Close.class::isInstance)) {
        closeFile();
        writerEnded = true;
        failPendingIntents();
        return;
      }
    }
  }

  /** Fails the intents that came too late for the writer. Safe on any thread. */
  private void failPendingIntents() {
    for (Command late = queue.poll(); late != null; late = queue.poll()) {
      if (late instanceof Begin begin) {
        openBytes.addAndGet(-begin.line.length);
        notifyRecorder(begin, new IOException("the intent log is closed"));
      }
    }
  }

  /**
   * Waits for a command; null if there is none while intents may have been cleared, or have to be
   * cleared in the file after a failure.
   */
  private @Nullable Command nextCommand() throws InterruptedException {
    return open.isEmpty() && unwrittenEnds.isEmpty()
        ? queue.take()
        : queue.poll(CLEAR_DELAY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void takeCleared(List<Long> ends) {
    for (Long number = cleared.poll(); number != null; number = cleared.poll()) {
      ends.add(number);
    }
  }

  private void write(List<Command> batch, List<Long> ends) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    List<Begin> begun = new ArrayList<>();
    boolean sync = false;
    for (Command command : batch) {
      switch (command) {
        case Begin begin -> {
          open.put(begin.number, begin);
          begun.add(begin);
          lines.writeBytes(begin.line);
          sync |= begin.sync;
        }
        case Abandon(long number) -> {
          Begin left = open.get(number);
          if (left != null) {
            abandoned.put(number, left);
          }
        }
        case Close() -> {}
      }
    }
    for (Long number : ends) {
      if (remove(number)) {
        unwrittenEnds.add(number);
      }
    }
    if (lines.size() == 0 && unwrittenEnds.isEmpty()) {
      return;
    }
    appendEnds(lines);
    IOException failure = tryAppend(lines.toByteArray(), sync);
    if (failure == null) {
      unwrittenEnds.clear();
    } else {
      begun.forEach(begin -> {
        remove(begin.number);
        abandoned.remove(begin.number);
        unwrittenEnds.remove(begin.number);
      });
    }
    openCount = open.size();
    for (Begin begin : begun) {
      notifyRecorder(begin, failure);
    }
  }

  private static void notifyRecorder(Begin begin, @Nullable IOException failure) {
    try {
      begin.done.accept(failure);
    } catch (Throwable e) { // the writer must continue: all intents depend on it
      LOG.error("the callback of an intent failed", e);
    }
  }

  private boolean remove(long number) {
    Begin known = open.remove(number);
    if (known != null) {
      openBytes.addAndGet(-known.line.length);
    }
    return known != null;
  }

  private void appendEnds(ByteArrayOutputStream lines) {
    if (unwrittenEnds.isEmpty()) {
      return;
    }
    StringBuilder text = new StringBuilder("-");
    for (Long number : unwrittenEnds) {
      text.append(text.length() == 1 ? "" : " ").append(number);
    }
    lines.writeBytes(text.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
  }

  private @Nullable IOException tryAppend(byte[] lines, boolean sync) {
    IOException before = lastFailure;
    if (before != null && nanoClock.getAsLong() - failedNanos < FAILURE_BACKOFF.toNanos()) {
      return before;
    }
    lastFailure = null;
    try {
      append(lines, sync);
    } catch (Throwable e) { // the thread must continue: all intents depend on it
      IOException failure = e instanceof IOException io ? io : new IOException(e);
      lastFailure = failure;
      failedNanos = nanoClock.getAsLong();
      LOG.error("can't write the intent log in {}: {}", directory, failure.toString());
    }
    return lastFailure;
  }

  private void append(byte[] lines, boolean sync) throws IOException {
    IntentFile current = file;
    boolean full =
        current != null
            && current.bytes() >= maxFileBytes
            && current.bytes() >= 2 * openBytes.get();
    if (current != null && !full && !current.isBroken()) {
      current.append(lines, sync);
      return;
    }
    // All open intents, among them those of these lines, begin the new file.
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    open.values().forEach(begin -> all.writeBytes(begin.line));
    boolean syncAll = sync || open.values().stream().anyMatch(begin -> begin.sync);
    String name = namePrefix + "-" + String.format("%04d", ++filesCreated);
    file = IntentFile.create(directory, name, all.toByteArray(), syncAll);
    if (current != null) {
      current.delete();
    }
  }

  private void closeFile() {
    IntentFile current = file;
    file = null;
    if (current != null) {
      if (open.isEmpty()) {
        current.delete();
      } else {
        current.close();
      }
    }
  }

  /** Writes what is pending and closes the file; deletes it if no intent is open. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    queue.add(new Close());
    try {
      writer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
