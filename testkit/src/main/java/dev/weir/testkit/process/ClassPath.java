package dev.weir.testkit.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path of a child JVM, first entry first.
 *
 * @param entries jars and class folders
 */
public record ClassPath(List<Path> entries) {
  /**
   * System property: a file with the jars of a data node of another version, as {@code
   * testkit/node/class-path} writes it.
   */
  public static final String NODE_FILE_PROPERTY = "weir.testkit.classpath";

  private static final String NODE_MODULE = "testkit/node";
  private static final String SECURED_NODE_MODULE = "testkit/secured-node";
  private static final String NODE_FILE = "node.classpath";
  private static final String GATEWAY_MODULE = "gateway";
  private static final String GATEWAY_FILE = "gateway.classpath";

  /** Copies the entries. */
  public ClassPath {
    entries = List.copyOf(entries);
  }

  /** The class path of a data node, as the build of {@code testkit/node} left it. */
  public static ClassPath ofDataNode() {
    String given = System.getProperty(NODE_FILE_PROPERTY, "");
    ClassPath built = built(NODE_MODULE, NODE_FILE);
    return given.isEmpty() ? built : replaceJars(built, Path.of(given));
  }

  /** Keeps the classes of the tree, such as the main class of a node. */
  private static ClassPath replaceJars(ClassPath built, Path file) {
    List<Path> folders = built.entries.stream().filter(Files::isDirectory).toList();
    try {
      return new ClassPath(folders).plus(parse(Files.readString(file).strip()).entries);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the class path file " + file, e);
    }
  }

  /**
   * The class path of a data node of the newest release that has a security plugin, as the build of
   * {@code testkit/secured-node} left it, with the plugin's archive among the entries. The node's
   * main class is the one of {@code testkit/node}.
   */
  public static ClassPath ofSecuredNode() {
    Path mainClass = WorkingTree.root().resolve(NODE_MODULE).resolve("target").resolve("classes");
    return new ClassPath(List.of(mainClass)).plus(built(SECURED_NODE_MODULE, NODE_FILE).entries);
  }

  /** The class path of the gateway, as the build of {@code gateway} left it. */
  public static ClassPath ofGateway() {
    return built(GATEWAY_MODULE, GATEWAY_FILE);
  }

  /** The class path of the running JVM. */
  public static ClassPath ofThisJvm() {
    return parse(System.getProperty("java.class.path", ""));
  }

  private static ClassPath built(String module, String file) {
    return read(WorkingTree.root().resolve(module).resolve("target").resolve(file), module);
  }

  /** Reads a class path file; the module's own classes lie beside it. */
  static ClassPath read(Path file, String module) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalStateException(
          "got no class path file "
              + file
              + " (expected: the build writes it; run: mvn -q -pl "
              + module
              + " -am test-compile)");
    }
    try {
      ClassPath libraries = parse(Files.readString(file).strip());
      Path classes = file.resolveSibling("classes");
      return new ClassPath(
          Stream.concat(Stream.of(classes.toAbsolutePath()), libraries.entries.stream()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the class path file " + file, e);
    }
  }

  private static ClassPath parse(String joined) {
    return new ClassPath(
        Stream.of(joined.split(File.pathSeparator))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of)
            .toList());
  }

  /** This class path with more entries at its end. */
  public ClassPath plus(List<Path> more) {
    List<Path> all = new ArrayList<>(entries);
    more.stream().filter(entry -> !all.contains(entry)).forEach(all::add);
    return new ClassPath(all);
  }

  /** The value for {@code -cp}. */
  public String joined() {
    return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
