package dev.weir.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Java files of every module that the root {@code pom.xml} lists. */
final class SourceTree {
  static final Path ROOT = Path.of(System.getProperty("weir.root", "..")).normalize();

  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final SourceTree TREE = new SourceTree();

  private final List<String> modules = new ArrayList<>();
  private final List<SourceFile> files = new ArrayList<>();

  private SourceTree() {
    Matcher module = MODULE.matcher(read(ROOT.resolve("pom.xml")));
    while (module.find()) {
      modules.add(module.group(1));
      for (String sourceSet : List.of("main", "test")) {
        Path sources = ROOT.resolve(module.group(1)).resolve("src/" + sourceSet + "/java");
        for (Path path : filesBelow(sources, ".java")) {
          String name = sources.relativize(path).toString().replace('/', '.');
          files.add(
              new SourceFile(
                  module.group(1), sourceSet, name.substring(0, name.length() - 5), path));
        }
      }
    }
  }

  static List<String> modules() {
    return TREE.modules;
  }

  /** Main and test sources, {@code package-info.java} included. */
  static List<SourceFile> files() {
    return TREE.files;
  }

  static List<SourceFile> mainFiles() {
    return TREE.files.stream().filter(SourceFile::isMain).toList();
  }

  /** The module of each top-level class of the main sources. */
  static Map<String, String> modulesByClass() {
    return mainFiles().stream()
        .filter(file -> !file.isPackageInfo())
        .collect(Collectors.toMap(SourceFile::className, SourceFile::module));
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a build wrote is left out. */
  static List<Path> filesBelow(Path folder, String suffix) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths
          .filter(path -> path.toString().endsWith(suffix))
          .filter(path -> !isGenerated(folder.relativize(path)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isGenerated(Path path) {
    for (Path part : path) {
      String name = part.toString();
      if (name.equals("target") || name.equals(".git") || name.equals(".weir")) {
        return true;
      }
    }
    return false;
  }
}
