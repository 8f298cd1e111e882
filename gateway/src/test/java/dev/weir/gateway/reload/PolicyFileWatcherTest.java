package dev.weir.gateway.reload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyFileWatcherTest {
  private static final String SEEDS = "clusters: {main: {seeds: [\"127.0.0.1:9300\"]}}\n";
  private static final String ROUND_ROBIN = SEEDS + "routing: {algorithm: round-robin}\n";

  private final List<LoadResult> seen = new ArrayList<>();

  @TempDir private Path folder;

  /** A watcher that polls only when the test says so. */
  private PolicyFileWatcher watch(Path file) throws InterruptedException {
    PolicyFileWatcher watch = new PolicyFileWatcher(file, new PolicyLoader(Map.of())::load);
    assertThat(watch.loadFirst()).isInstanceOf(LoadResult.Loaded.class);
    watch.setListener(seen::add);
    watch.checkForChange();
    assertThat(seen).isEmpty();
    return watch;
  }

  private String routing() {
    LoadResult last = seen.getLast();
    assertThat(last).isInstanceOf(LoadResult.Loaded.class);
    return ((LoadResult.Loaded) last).policy().routing().algorithm().name();
  }

  @Test
  void detectAChangeWithTheSameModificationTime() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    try (PolicyFileWatcher watch = watch(file)) {
      FileTime time = Files.getLastModifiedTime(file);
      Files.writeString(file, ROUND_ROBIN);
      Files.setLastModifiedTime(file, time);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(seen).hasSize(1);
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
      Files.setLastModifiedTime(file, FileTime.fromMillis(1000));
      watch.checkForChange();
      assertThat(seen).hasSize(1);
    }
  }

  @Test
  void reportAMissingFileOnceAndReadItOnItsReturn() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    try (PolicyFileWatcher watch = watch(file)) {
      Files.delete(file);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(seen).singleElement().isInstanceOf(LoadResult.Invalid.class);
      Files.writeString(file, SEEDS);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(seen).hasSize(2).last().isInstanceOf(LoadResult.Loaded.class);
    }
  }

  @Test
  void detectAReplacedSymbolicLink() throws Exception {
    Path data = folder.resolve("..data");
    Files.createSymbolicLink(data, version("..1", SEEDS));
    Path file =
        Files.createSymbolicLink(folder.resolve("weir.yaml"), Path.of("..data", "weir.yaml"));
    try (PolicyFileWatcher watch = watch(file)) {
      Path aside =
          Files.createSymbolicLink(folder.resolve("..data_tmp"), version("..2", ROUND_ROBIN));
      Files.move(aside, data, StandardCopyOption.ATOMIC_MOVE);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
    }
  }

  private Path version(String name, String text) throws IOException {
    Path version = Files.createDirectory(folder.resolve(name));
    Path file = Files.writeString(version.resolve("weir.yaml"), text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(1000));
    return Path.of(name);
  }

  @Test
  void detectAChangedReferencedFile() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "c3\n");
    Path file =
        Files.writeString(
            folder.resolve("weir.yaml"),
            SEEDS + "routing: {algorithm: '${file:" + secret + "}'}\n");
    try (PolicyFileWatcher watch = watch(file)) {
      Files.writeString(secret, "round-robin\n");
      watch.checkForChange();
      watch.checkForChange();
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
      Files.delete(secret);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(seen).last().isInstanceOf(LoadResult.Invalid.class);
      Files.writeString(secret, "c3\n");
      watch.checkForChange();
      watch.checkForChange();
      assertThat(routing()).isEqualTo("C3");
      assertThat(seen).hasSize(3);
    }
  }

  @Test
  void leaveAFileThatIsBeingWritten() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    String two = ROUND_ROBIN + "bulk: {max-response-bytes: 1mb}\n";
    try (PolicyFileWatcher watch = watch(file)) {
      Files.writeString(file, ROUND_ROBIN);
      watch.checkForChange();
      Files.writeString(file, two.substring(0, two.length() - 3));
      watch.checkForChange();
      Files.writeString(file, two);
      watch.checkForChange();
      assertThat(seen).as("half of the file is a configuration, too").isEmpty();
      Files.writeString(file, ROUND_ROBIN);
      watch.checkForChange();
      watch.checkForChange();
      assertThat(seen).hasSize(1);
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
    }
  }

  @Test
  void leaveANewlyReferencedFileThatIsBeingWritten() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    Path secret = Files.writeString(folder.resolve("secret"), "c3");
    PolicyLoader loader = new PolicyLoader(Map.of());
    List<String> writes = new ArrayList<>();
    PolicyFileWatcher watcher =
        new PolicyFileWatcher(file, path -> load(loader, path, secret, writes));
    try (watcher) {
      watcher.loadFirst();
      watcher.setListener(seen::add);
      Files.writeString(file, SEEDS + "routing: {algorithm: '${file:" + secret + "}'}\n");
      writes.add("round-robin\n");
      watcher.checkForChange();
      watcher.checkForChange();
      assertThat(seen).as("the file has changed since it was read").isEmpty();
      watcher.checkForChange();
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
      watcher.checkForChange();
      watcher.checkForChange();
      assertThat(seen).hasSize(1);
    }
  }

  /** Loads a configuration, and then writes another file. */
  private static LoadResult load(PolicyLoader loader, Path path, Path other, List<String> writes) {
    LoadResult result = loader.load(path);
    try {
      if (!writes.isEmpty()) {
        Files.writeString(other, writes.removeFirst());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return result;
  }

  @Test
  void loadASecretAgainThatChangesDuringTheFirstLoad() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "c3");
    Path file =
        Files.writeString(
            folder.resolve("weir.yaml"),
            SEEDS + "routing: {algorithm: '${file:" + secret + "}'}\n");
    PolicyLoader loader = new PolicyLoader(Map.of());
    List<String> writes = new ArrayList<>(List.of("round-robin\n"));
    PolicyFileWatcher watcher =
        new PolicyFileWatcher(file, path -> load(loader, path, secret, writes));
    try (watcher) {
      seen.add(watcher.loadFirst());
      assertThat(routing()).isEqualTo("ROUND_ROBIN");
    }
  }

  @Test
  void forgetAChangeThatWasTakenBack() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    try (PolicyFileWatcher watch = watch(file)) {
      Files.writeString(file, ROUND_ROBIN);
      watch.checkForChange();
      Files.writeString(file, SEEDS);
      watch.checkForChange();
      Files.writeString(file, ROUND_ROBIN);
      watch.checkForChange();
      assertThat(seen).as("it has been there for one poll again").isEmpty();
    }
  }

  @Test
  void goOnPollingAfterAnError() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    PolicyLoader loader = new PolicyLoader(Map.of());
    List<Error> errors = new ArrayList<>();
    PolicyFileWatcher watcher =
        new PolicyFileWatcher(
            file,
            path -> {
              if (!errors.isEmpty()) {
                throw errors.getFirst();
              }
              return loader.load(path);
            });
    try (watcher) {
      watcher.loadFirst();
      watcher.setListener(seen::add);
      errors.add(new OutOfMemoryError("a test"));
      Files.writeString(file, ROUND_ROBIN);

      assertThat(watcher.poll()).isEqualTo(Duration.ofMillis(500));
      Duration first = watcher.poll();
      Duration second = watcher.poll();
      assertThat(first).isEqualTo(Duration.ofSeconds(1));
      assertThat(second).isEqualTo(Duration.ofSeconds(2));
      assertThat(seen).isEmpty();

      errors.clear();
      assertThat(watcher.poll()).isEqualTo(Duration.ofMillis(500));
      assertThat(routing()).as("the change was not lost").isEqualTo("ROUND_ROBIN");
    }
  }

  @Test
  void pollInTheBackgroundAfterAnErrorOfTheListener() throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), SEEDS);
    BlockingQueue<LoadResult> heard = new LinkedBlockingQueue<>();
    AtomicBoolean failed = new AtomicBoolean();
    try (PolicyFileWatcher watcher = watch(file)) {
      watcher.start(result -> {
        if (failed.compareAndSet(false, true)) {
          throw new AssertionError("a defect of the listener");
        }
        heard.add(result);
      });
      Files.writeString(file, ROUND_ROBIN);
      awaitTrue(failed);
      Files.writeString(file, SEEDS);
      assertThat(heard.poll(30, TimeUnit.SECONDS)).isInstanceOf(LoadResult.Loaded.class);
    }
  }

  private static void awaitTrue(AtomicBoolean flag) throws InterruptedException {
    for (int i = 0; i < 3000 && !flag.get(); i++) {
      Thread.sleep(10);
    }
    assertThat(flag).isTrue();
  }
}
