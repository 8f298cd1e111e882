package dev.weir.gateway.reload;

import dev.weir.config.load.LoadResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration's file, and the files that it refers to, twice a second. When their
 * content changes, loads the configuration and passes the result to its listener. Compares content,
 * not modification times, so that it detects a replaced symbolic link, as Kubernetes uses, and a
 * file with an unchanged time. A file that is being written is left until it rests between two
 * polls. Safe on any thread; one virtual thread polls until {@link #close}.
 *
 * <p>An exception or {@link Error} in a poll is logged, and polling continues; after repeated
 * failures at longer intervals, up to {@link #MAX_POLL_INTERVAL}.
 */
public final class PolicyFileWatcher implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyFileWatcher.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(30);

  /** After so many polls with other content each, a file that never rests is logged. */
  private static final int RESTLESS_POLLS = 20;

  /** So many times a file is loaded at once that changes during each load. */
  private static final int LOADS = 3;

  private static final long MAX_FILE_BYTES = 4 << 20;
  private static final ByteBuffer ABSENT = ByteBuffer.allocate(0);

  private final Path file;
  private final Function<Path, LoadResult> loader;
  private Set<Path> referencedFiles = Set.of();
  private Map<Path, ByteBuffer> knownContents = Map.of();

  /** What the last poll read, if it may still be in the middle of being written. */
  private @Nullable Map<Path, ByteBuffer> unsettledContents;

  private int unsettledPolls;
  private Consumer<LoadResult> listener = result -> {};
  private int failedPolls;
  private volatile boolean closed;

  /** Creates a watcher that has not read the file yet. */
  public PolicyFileWatcher(Path file, Function<Path, LoadResult> loader) {
    this.file = file;
    this.loader = loader;
  }

  public Path file() {
    return file;
  }

  /** Loads the file for the first time; from now on different content is a change. */
  public synchronized LoadResult loadFirst() {
    return load();
  }

  /** Sets the listener of changes. */
  synchronized void setListener(Consumer<LoadResult> changes) {
    listener = changes;
  }

  /** Starts polling. */
  public PolicyFileWatcher start(Consumer<LoadResult> changes) {
    setListener(changes);
    Thread.ofVirtual().name("weir-policy").start(this::run);
    return this;
  }

  private void run() {
    Duration interval = POLL_INTERVAL;
    while (!closed) {
      try {
        Thread.sleep(interval);
      } catch (InterruptedException e) {
        return;
      }
      interval = poll();
    }
  }

  /** Checks for a change; logs what that throws. Returns the time until the next poll. */
  Duration poll() {
    try {
      checkForChange();
      failedPolls = 0;
      return POLL_INTERVAL;
    } catch (RuntimeException | Error e) {
      failedPolls++;
      Duration interval = retryInterval(failedPolls);
      LOGGER.error(
          "checking {} for changes failed ({} times in a row); the gateway checks again in {}",
          file,
          failedPolls,
          interval,
          e);
      return interval;
    }
  }

  private static Duration retryInterval(int failures) {
    Duration interval = POLL_INTERVAL;
    for (int i = 0; i < failures && interval.compareTo(MAX_POLL_INTERVAL) < 0; i++) {
      interval = interval.multipliedBy(2);
    }
    return interval.compareTo(MAX_POLL_INTERVAL) < 0 ? interval : MAX_POLL_INTERVAL;
  }

  /**
   * Checks once. A change is loaded when two polls have read the same: the first may have seen half
   * of a file that is being written, and half of a file may be a valid configuration. The result
   * counts if all files are the same after the load, too, those that the new content refers to
   * among them: otherwise the load may have read half of one.
   */
  synchronized void checkForChange() {
    Map<Path, ByteBuffer> now = contents();
    if (closed || now.equals(knownContents)) {
      settle(knownContents);
      return;
    }
    if (!now.equals(unsettledContents)) {
      unsettle(now);
      return;
    }
    LoadResult result = loader.apply(file);
    referencedFiles = result.fileReferences().files();
    Map<Path, ByteBuffer> after = contents();
    if (!after.equals(now)) {
      unsettle(after);
      return;
    }
    settle(after);
    listener.accept(result);
  }

  /** Remembers what may still be in the middle of being written. */
  private void unsettle(Map<Path, ByteBuffer> read) {
    unsettledContents = read;
    if (++unsettledPolls % RESTLESS_POLLS == 0) {
      LOGGER.warn("{} changes all the time, so the gateway does not read it", file);
    }
  }

  /** Remembers what is loaded. */
  private void settle(Map<Path, ByteBuffer> loaded) {
    knownContents = loaded;
    unsettledContents = null;
    unsettledPolls = 0;
  }

  /** Loads the file now, changed or not. */
  public synchronized void reload() {
    if (closed) {
      return;
    }
    LOGGER.info("SIGHUP: reading {} again", file);
    listener.accept(load());
  }

  /**
   * Loads the file, again if a file differs after the load or was not known to be referred to
   * before. What differs after the last load is a change for the next poll.
   */
  private LoadResult load() {
    LoadResult result;
    Map<Path, ByteBuffer> before;
    int loads = 0;
    do {
      before = contents();
      result = loader.apply(file);
      referencedFiles = result.fileReferences().files();
    } while (!contents().equals(before) && ++loads < LOADS);
    settle(before);
    return result;
  }

  private Map<Path, ByteBuffer> contents() {
    Map<Path, ByteBuffer> contents = new HashMap<>();
    contents.put(file, content(file));
    referencedFiles.forEach(other -> contents.put(other, content(other)));
    return contents;
  }

  private static ByteBuffer content(Path path) {
    try {
      return Files.size(path) > MAX_FILE_BYTES ? ABSENT : ByteBuffer.wrap(Files.readAllBytes(path));
    } catch (IOException unreadable) {
      return ABSENT;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
