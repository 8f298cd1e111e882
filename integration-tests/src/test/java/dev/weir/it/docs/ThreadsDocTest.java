package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the names of threads in the gateway's code with those in docs/threading.md. */
class ThreadsDocTest {
  /** Modules that are no part of the gateway. */
  private static final Set<String> OTHER_MODULES =
      Set.of("testkit", "benchmarks", "integration-tests", "architecture-tests", "data-node");

  private static final Pattern IN_CODE =
      Pattern.compile(
          "(?:\\.name|startLoop|DefaultThreadFactory|AdminServerOptions|new Thread)"
              + "\\(\\s*(?:[\\w:]+,\\s*)?\"(weir-[a-z-]+?)-?\"");

  private static final Pattern IN_DOCUMENT = Pattern.compile("`(weir-[a-z-]+?)(-\\*)?`");

  /** A name in the document; {@code isFamily} for one with a wildcard. */
  private record Documented(String name, boolean isFamily) {
    boolean covers(String thread) {
      return thread.equals(name) || (isFamily && thread.startsWith(name + "-"));
    }
  }

  private static Set<String> namesInCode() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path source : sources()) {
      IN_CODE.matcher(Files.readString(source)).results().forEach(name -> names.add(name.group(1)));
    }
    return names;
  }

  private static List<Path> sources() throws IOException {
    Path root = MarkdownDoc.root();
    try (Stream<Path> modules = Files.list(root)) {
      return modules
          .filter(module -> !OTHER_MODULES.contains(module.getFileName().toString()))
          .map(module -> module.resolve("src/main/java"))
          .filter(Files::isDirectory)
          .flatMap(ThreadsDocTest::filesBelow)
          .toList();
    }
  }

  private static Stream<Path> filesBelow(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the names in the first column of the document's table of threads. */
  private static List<Documented> documentedNames() throws IOException {
    return Files.readAllLines(MarkdownDoc.root().resolve("docs/threading.md")).stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(0, line.indexOf('|', 1)))
        .flatMap(column -> IN_DOCUMENT.matcher(column).results())
        .map(ThreadsDocTest::documented)
        .toList();
  }

  private static Documented documented(MatchResult name) {
    return new Documented(name.group(1), name.group(2) != null);
  }

  @Test
  void documentEveryThread() throws IOException {
    List<Documented> documented = documentedNames();
    Set<String> names = namesInCode();
    assertThat(names).contains("weir-loop", "weir-cluster-watch", "weir-log", "weir-admin");

    assertThat(names)
        .allSatisfy(name ->
            assertThat(documented)
                .as(name)
                .anyMatch(documentedName -> documentedName.covers(name)));
  }

  @Test
  void nameNoThreadThatTheCodeLacks() throws IOException {
    Set<String> names = namesInCode();
    assertThat(documentedNames())
        .hasSizeGreaterThan(20)
        .allSatisfy(documented ->
            assertThat(names)
                .as(documented.name())
                .anyMatch(
                    name -> documented.covers(name) || documented.name().startsWith(name + "-")));
  }
}
