package dev.weir.testkit;

import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.ScratchFolder;
import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Prepares the start of data nodes: an ahead-of-time cache (JEP 483, 514 and 515) that a training
 * run of one node leaves behind, which cuts a node's start from some 9 s of CPU time to some 3 s.
 * The JVM links classes ahead of time only without incubator modules, so these nodes do without the
 * vector module that a stock node gives to Lucene: they answer the same, a little slower.
 *
 * <p>The cache lies in the checkout's cache folder under a name made from the JVM and the content
 * of the class path, so that it is never stale. Processes that need it at the same time wait for
 * the one that makes it. Whatever goes wrong, nodes start without it.
 */
final class StartImageBuilder {
  /** System property: {@code false} starts all nodes from nothing. */
  static final String PROPERTY = "weir.testkit.quickstart";

  /**
   * System property: further options of the JVMs of nodes that start quickly, and of nodes with
   * other jars than the build's, split at blanks. Our own tests leave out the optimising compiler:
   * in the minutes that their nodes live it takes as much CPU time as all the work that it speeds
   * up.
   */
  static final String OPTIONS_PROPERTY = "weir.testkit.node.options";

  private static final String CACHE = "node.aot";
  private static final String FAILED = "failed.txt";
  private static final Duration DUMP_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration UNUSED_RETENTION = Duration.ofDays(1);
  private static final Object JVM_LOCK = new Object();

  private final ClassPath classPath;
  private final Consumer<String> progress;

  private StartImageBuilder(ClassPath plain, Consumer<String> progress) {
    this.classPath = plain;
    this.progress = progress;
  }

  /** The prepared image for a class path; made now if need be. */
  static StartImage prepare(ClassPath plain, Consumer<String> progress) {
    if (!Boolean.parseBoolean(System.getProperty(PROPERTY, "true"))) {
      return StartImage.plain(plain);
    }
    try {
      return new StartImageBuilder(plain, progress).image();
    } catch (IOException | UncheckedIOException e) {
      progress.accept("nodes start slowly, because nothing could be prepared: " + e);
      return StartImage.plain(plain);
    }
  }

  private StartImage image() throws IOException {
    Path images = Files.createDirectories(WorkingTree.cache().resolve("node-image"));
    Path folder = images.resolve(StartImageKey.of(classPath));
    synchronized (JVM_LOCK) {
      if (!isBuilt(folder)) {
        try (FileChannel channel =
            FileChannel.open(
                images.resolve("making.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
          channel.lock();
          if (!isBuilt(folder)) {
            deleteUnused(images);
            build(folder);
          }
        }
      }
    }
    if (Files.exists(folder.resolve(FAILED))) {
      return StartImage.plain(classPath);
    }
    Path cache = folder.resolve(CACHE);
    Files.setLastModifiedTime(folder, FileTime.from(Instant.now()));
    return new StartImage(StartImageKey.packed(classPath, folder), options(cache));
  }

  private static List<String> options(Path cache) {
    return withFurtherOptions(List.of("-XX:AOTCache=" + cache));
  }

  private static List<String> withFurtherOptions(List<String> options) {
    String more = System.getProperty(OPTIONS_PROPERTY, "");
    return Stream.concat(options.stream(), Stream.of(more.split(" ")))
        .filter(option -> !option.isEmpty())
        .toList();
  }

  /** Returns the image of nodes for which no cache is prepared. */
  static StartImage unprepared(ClassPath classPath) {
    StartImage plain = StartImage.plain(classPath);
    return new StartImage(classPath, withFurtherOptions(plain.jvmOptions()));
  }

  private static boolean isBuilt(Path folder) {
    return Files.exists(folder.resolve(CACHE)) || Files.exists(folder.resolve(FAILED));
  }

  private void build(Path folder) throws IOException {
    progress.accept("preparing quick starts of data nodes (once, about half a minute)");
    Files.createDirectories(folder);
    StartImageKey.pack(classPath, folder);
    Path unfinished = folder.resolve("unfinished.aot");
    StartImage training =
        new StartImage(
            StartImageKey.packed(classPath, folder), List.of("-XX:AOTCacheOutput=" + unfinished));
    try (DataNodeCluster nodes =
        DataNodeCluster.start(
            ClusterSpec.ofNodes(1).withName("weir-training"), training, RestAccess.PLAIN)) {
      runTrainingRequests(nodes);
      nodes.node(0).stop(DUMP_TIMEOUT);
      Files.move(unfinished, folder.resolve(CACHE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      Files.writeString(
          folder.resolve(FAILED),
          "No quick start with this JVM; delete this folder to try again.\n" + e + "\n");
      progress.accept("nodes start slowly, because the training run failed: " + e.getMessage());
    }
  }

  /**
   * Has the node do a little of what nodes are for, so that the classes for it are in the cache
   * too.
   */
  private static void runTrainingRequests(DataNodeCluster nodes) {
    RestClient rest = nodes.rest();
    rest.send("PUT", "/training", "{\"settings\":{\"number_of_replicas\":0}}").orThrow();
    String lines = "{\"index\":{}}\n{\"title\":\"a word or two\",\"count\":1}\n".repeat(20);
    rest.bulk("/training/_bulk?refresh=true", lines.getBytes(StandardCharsets.UTF_8)).orThrow();
    rest.send(
            "POST",
            "/training/_search",
            "{\"query\":{\"match\":{\"title\":\"word\"}},"
                + "\"aggs\":{\"counts\":{\"terms\":{\"field\":\"count\"}}}}")
        .orThrow();
    rest.send("GET", "/_cluster/state").orThrow();
    rest.send("DELETE", "/training").orThrow();
  }

  private static void deleteUnused(Path images) throws IOException {
    Instant limit = Instant.now().minus(UNUSED_RETENTION);
    List<Path> unused;
    try (Stream<Path> children = Files.list(images)) {
      unused =
          children.filter(Files::isDirectory).filter(child -> olderThan(child, limit)).toList();
    }
    for (Path folder : unused) {
      ScratchFolder.delete(folder);
    }
  }

  private static boolean olderThan(Path folder, Instant limit) {
    try {
      return Files.getLastModifiedTime(folder).toInstant().isBefore(limit);
    } catch (IOException gone) {
      return false;
    }
  }
}
