package dev.weir.it.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The start script builds what its commands need in a checkout that has built nothing. The compiled
 * classes come along, to save minutes: Maven compiled them from the same sources for this test.
 */
@Drawn(oneIn = 3)
final class FreshCheckoutTest {
  private static final Set<String> NOT_SOURCES = Set.of(".weir", ".git");

  @TempDir private Path folder;

  @Test
  void buildsEachCommandFromSources() throws Exception {
    copySources(WorkingTree.root());
    Files.writeString(
        folder.resolve(".mvn/maven.config"), "-Dmaven.main.skip=true\n", StandardOpenOption.APPEND);
    // The benchmarks need every module that is built for users.
    assertThat(run("bench")).contains("coordinate", "traffic");
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"), "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n");
    assertThat(run("check", "--config", config.toString())).endsWith("weir.yaml: ok\n");
  }

  private String run(String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of("./weir"));
    words.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    ProcessBuilder command =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    command.environment().put("JAVA_HOME", System.getProperty("java.home"));
    command.environment().put("WEIR_REHEARSAL_SHARE", "0"); // each request once
    Process process = command.start();
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    String printed = Files.readString(output, UTF_8);
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }

  private void copySources(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path source, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_SOURCES.contains(source.getFileName().toString())
                || (isOutput(source.getParent()) && !source.endsWith("classes"))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(folder.resolve(root.relativize(source).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path source, BasicFileAttributes attributes)
              throws IOException {
            if (!isOutput(source.getParent())) {
              Files.copy(source, folder.resolve(root.relativize(source).toString()));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean isOutput(@Nullable Path directory) {
    return directory != null && directory.endsWith("target");
  }
}
