package dev.weir.testkit;

import dev.weir.testkit.process.ClassPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Names a start image by what it depends on, and packs class folders into jars, because an image
 * cannot hold folders.
 */
final class StartImageKey {
  private static final int BYTES = 8;
  private static final String JAR = "classes.jar";

  private StartImageKey() {}

  /**
   * The image's name: a hash over the JVM, the jars (path, size, time) and the content of class
   * folders.
   */
  static String of(ClassPath classPath) throws IOException {
    MessageDigest digest = sha256();
    add(digest, System.getProperty("java.home"), System.getProperty("java.vm.version"));
    add(digest, System.getProperty("os.arch"), String.join(" ", NodeLaunchConfig.STOCK_OPTIONS));
    for (Path entry : classPath.entries()) {
      if (Files.isDirectory(entry)) {
        for (Path file : files(entry)) {
          add(digest, entry.relativize(file).toString());
          digest.update(Files.readAllBytes(file));
        }
      } else {
        add(digest, entry.toString(), Long.toString(Files.size(entry)));
        add(digest, Files.getLastModifiedTime(entry).toString());
      }
    }
    return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
  }

  private static void add(MessageDigest digest, String... parts) {
    for (String part : parts) {
      digest.update(part.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /** Packs the class folders of a class path into one jar in the image's folder. */
  static void pack(ClassPath classPath, Path folder) throws IOException {
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(folder.resolve(JAR)))) {
      for (Path entry : classPath.entries()) {
        if (Files.isDirectory(entry)) {
          for (Path file : files(entry)) {
            jar.putNextEntry(new ZipEntry(entry.relativize(file).toString().replace('\\', '/')));
            Files.copy(file, jar);
            jar.closeEntry();
          }
        }
      }
    }
  }

  /** The class path with the jar in the place of the class folders. */
  static ClassPath packed(ClassPath classPath, Path folder) {
    return new ClassPath(
        Stream.concat(
                Stream.of(folder.resolve(JAR)),
                classPath.entries().stream().filter(entry -> !Files.isDirectory(entry)))
            .toList());
  }
}
