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
final class PolicyWatch implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyWatch.class);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** A file that is being written is read once it has stayed the same for so long. */
  private static final Duration SETTLED = Duration.ofMillis(50);

  private static final int MOST_LOOKS = 10;
  private static final long MOST_BYTES = 4 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Path file;
  private final Function<Path, LoadResult> loader;
  private Set<Path> referred = Set.of();
  private Map<Path, ByteBuffer> known = Map.of();
  private Consumer<LoadResult> changed = result -> {};
  private volatile boolean closed;

  /** Makes a watch that has not looked yet. */
  PolicyWatch(Path file, Function<Path, LoadResult> loader) {
    this.file = file;
    this.loader = loader;
  }

  Path file() {
    return file;
  }

  /** Reads the file for the first time; what differs from it from now on is a change. */
  synchronized LoadResult first() {
    return load();
  }

  /** Hands changes on from now on. */
  synchronized void hear(Consumer<LoadResult> hears) {
    changed = hears;
  }

  /** Starts to look. */
  PolicyWatch start(Consumer<LoadResult> hears) {
    hear(hears);
    Thread.ofVirtual().name("weir-policy").start(this::run);
    return this;
  }

  private void run() {
    while (!closed) {
      try {
        Thread.sleep(PAUSE);
        look();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOGGER.error("can't look at {}", file, e);
      }
    }
  }

  /** Looks once. */
  synchronized void look() throws InterruptedException {
    Map<Path, ByteBuffer> now = contents();
    if (closed || now.equals(known)) {
      return;
    }
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Map<Path, ByteBuffer> before = now;
      Thread.sleep(SETTLED);
      now = contents();
      if (now.equals(before)) {
        break;
      }
    }
    if (!now.equals(known)) {
      changed.accept(load());
    }
  }

  /** Reads the file now, changed or not. */
  synchronized void read() {
    if (closed) {
      return;
    }
    LOGGER.info("SIGHUP: reading {} anew", file);
    changed.accept(load());
  }

  /** What is written while it is read differs from what is known then, and is read again. */
  private LoadResult load() {
    Map<Path, ByteBuffer> before = contents();
    LoadResult result = loader.apply(file);
    referred = result.fromFiles().files();
    Map<Path, ByteBuffer> now = contents();
    before.forEach(now::replace);
    known = now;
    return result;
  }

  private Map<Path, ByteBuffer> contents() {
    Map<Path, ByteBuffer> contents = new HashMap<>();
    contents.put(file, content(file));
    referred.forEach(other -> contents.put(other, content(other)));
    return contents;
  }

  private static ByteBuffer content(Path path) {
    try {
      return Files.size(path) > MOST_BYTES ? NOTHING : ByteBuffer.wrap(Files.readAllBytes(path));
    } catch (IOException gone) {
      return NOTHING;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
