package dev.weir.gateway.app;

import dev.weir.config.load.LoadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every second whether the file of the policy has changed, and hands on what came of reading
 * it; or reads it when it is asked to. Safe on any thread; one virtual thread looks, until closed.
 */
final class PolicyWatch implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final FileTime NEVER = FileTime.fromMillis(0);

  private final Path file;
  private final Function<Path, LoadResult> loader;
  private final Consumer<LoadResult> changed;
  private FileTime modified;
  private byte[] content;
  private volatile boolean closed;

  /** Makes a watch that takes the file as it is now for known. */
  PolicyWatch(Path file, Function<Path, LoadResult> loader, Consumer<LoadResult> changed) {
    this.file = file;
    this.loader = loader;
    this.changed = changed;
    this.modified = modified();
    this.content = content();
  }

  /** Starts to look. */
  PolicyWatch start() {
    Thread.ofVirtual().name("weir-policy").start(this::run);
    return this;
  }

  private void run() {
    while (!closed) {
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        return;
      }
      look();
    }
  }

  /** Looks once. */
  synchronized void look() {
    FileTime now = modified();
    if (closed || now.equals(modified)) {
      return;
    }
    modified = now;
    byte[] read = content();
    if (!Arrays.equals(read, content)) {
      content = read;
      changed.accept(loader.apply(file));
    }
  }

  /** Reads the file now, changed or not. */
  synchronized void read() {
    if (closed) {
      return;
    }
    LOGGER.info("SIGHUP: reading {} anew", file);
    modified = modified();
    content = content();
    changed.accept(loader.apply(file));
  }

  private FileTime modified() {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      return NEVER;
    }
  }

  private byte[] content() {
    try {
      return Files.readAllBytes(file);
    } catch (IOException gone) {
      return new byte[0];
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
