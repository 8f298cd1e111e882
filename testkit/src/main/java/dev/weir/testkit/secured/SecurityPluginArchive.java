package dev.weir.testkit.secured;

import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.ScratchFolder;
import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * The archive of the security plugin on the class path of a secured node, unpacked once into the
 * checkout's cache folder. Processes that need it at the same time wait for the one that unpacks.
 */
final class SecurityPluginArchive {
  private static final String NAME = "opensearch-security";
  private static final String CLASS = "org.opensearch.security.OpenSearchSecurityPlugin";
  private static final String ZIP = ".zip";
  private static final String JAR = ".jar";
  private static final Object JVM_LOCK = new Object();

  private final Path archive;
  private final Path cache;

  /**
   * An archive.
   *
   * @param cache the folder below which it is unpacked
   */
  SecurityPluginArchive(Path archive, Path cache) {
    this.archive = archive;
    this.cache = cache;
  }

  /** The archive among the entries of a class path. */
  static SecurityPluginArchive of(ClassPath classPath) {
    return classPath.entries().stream()
        .filter(SecurityPluginArchive::isArchive)
        .findFirst()
        .map(found ->
            new SecurityPluginArchive(found, WorkingTree.cache().resolve("security-plugin")))
        .orElseThrow(() ->
            new IllegalStateException(
                "got no " + NAME + "-*" + ZIP + " on the class path of a secured node"));
  }

  private static boolean isArchive(Path entry) {
    return entry.toString().endsWith(ZIP);
  }

  /** The server's part of a class path. */
  static ClassPath serverOf(ClassPath classPath) {
    return new ClassPath(classPath.entries().stream().filter(entry -> !isArchive(entry)).toList());
  }

  /** The plugin with those of its jars that the server does not have itself. */
  NodePlugin plugin(ClassPath server) {
    Set<String> present =
        server.entries().stream().map(SecurityPluginArchive::artifact).collect(Collectors.toSet());
    try (Stream<Path> files = Files.list(unpack())) {
      List<Path> jars =
          files
              .filter(file -> file.toString().endsWith(JAR))
              .filter(file -> !present.contains(artifact(file)))
              .sorted()
              .toList();
      return new NodePlugin(NAME, CLASS, jars);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + archive, e);
    }
  }

  /** A jar's name without its version. */
  private static String artifact(Path jar) {
    return jar.getFileName().toString().replaceFirst("-\\d.*", "");
  }

  private Path unpack() throws IOException {
    Files.createDirectories(cache);
    String name = archive.getFileName().toString().replace(ZIP, "");
    Path folder = cache.resolve(name + "-" + Long.toHexString(Files.size(archive)));
    synchronized (JVM_LOCK) {
      try (FileChannel channel =
          FileChannel.open(
              cache.resolve("unpacking.lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE)) {
        channel.lock();
        if (!Files.isDirectory(folder)) {
          Path unfinished = cache.resolve("unfinished");
          ScratchFolder.delete(unfinished);
          unpackInto(Files.createDirectories(unfinished));
          Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    }
    return folder;
  }

  /** Unpacks the jars; scripts and examples of the archive are of no use here. */
  private void unpackInto(Path folder) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName();
        if (name.endsWith(JAR) && name.indexOf('/') < 0) {
          Files.copy(zip, folder.resolve(name));
        }
      }
    }
  }
}
