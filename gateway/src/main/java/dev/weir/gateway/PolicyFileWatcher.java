package dev.weir.gateway;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks twice a second whether the file of the policy holds something else than before, or a file
 * that it refers to does, and hands on what came of reading it; or reads it when it is asked to.
 * What counts is what the files hold: so it sees also what replaces them by a link, as Kubernetes
 * does, or keeps their times. Safe on any thread; one virtual thread looks, until closed.
 */
final class PolicyFileWatcher implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyFileWatcher.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  /** A file that is being written is read once it has stayed the same for so long. */
  private static final Duration SETTLE_TIME = Duration.ofMillis(50);

  private static final int MAX_SETTLE_CHECKS = 10;
  private static final long MAX_FILE_BYTES = 4 << 20;
  private static final ByteBuffer ABSENT = ByteBuffer.allocate(0);

  private final Path file;
  private final Function<Path, LoadResult> loader;
  private Set<Path> referencedFiles = Set.of();
  private Map<Path, ByteBuffer> knownContents = Map.of();
  private Consumer<LoadResult> listener = result -> {};
  private volatile boolean closed;

  /** Makes a watch that has not looked yet. */
  PolicyFileWatcher(Path file, Function<Path, LoadResult> loader) {
    this.file = file;
    this.loader = loader;
  }

  Path file() {
    return file;
  }

  /** Reads the file for the first time; what differs from it from now on is a change. */
  synchronized LoadResult loadFirst() {
    return load();
  }

  /** Hands changes on from now on. */
  synchronized void setListener(Consumer<LoadResult> hears) {
    listener = hears;
  }

  /** Starts to look. */
  PolicyFileWatcher start(Consumer<LoadResult> hears) {
    setListener(hears);
    Thread.ofVirtual().name("weir-policy").start(this::run);
    return this;
  }

  private void run() {
    while (!closed) {
      try {
        Thread.sleep(POLL_INTERVAL);
        checkForChange();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOGGER.error("can't look at {}", file, e);
      }
    }
  }

  /** Looks once. */
  synchronized void checkForChange() throws InterruptedException {
    Map<Path, ByteBuffer> now = contents();
    if (closed || now.equals(knownContents)) {
      return;
    }
    for (int looks = 0; looks < MAX_SETTLE_CHECKS; looks++) {
      Map<Path, ByteBuffer> before = now;
      Thread.sleep(SETTLE_TIME);
      now = contents();
      if (now.equals(before)) {
        break;
      }
    }
    if (!now.equals(knownContents)) {
      listener.accept(load());
    }
  }

  /** Reads the file now, changed or not. */
  synchronized void reload() {
    if (closed) {
      return;
    }
    LOGGER.info("SIGHUP: reading {} anew", file);
    listener.accept(load());
  }

  /** What is written while it is read differs from what is known then, and is read again. */
  private LoadResult load() {
    Map<Path, ByteBuffer> before = contents();
    LoadResult result = loader.apply(file);
    referencedFiles = result.fileReferences().files();
    Map<Path, ByteBuffer> now = contents();
    before.forEach(now::replace);
    knownContents = now;
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
    } catch (IOException gone) {
      return ABSENT;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
